package exectrace

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testdata/V.gctrace is what the collector of the traced process printed itself
// (GODEBUG=gctrace=1), and what runtime.MemStats said before and after the trace.
func TestAgreesWithGctrace(t *testing.T) {
	logs, _ := filepath.Glob("testdata/*.gctrace")
	if len(logs) < 9 {
		t.Fatalf("logs: %v", logs)
	}
	traces := captured(t)
	for _, path := range logs {
		name := strings.TrimSuffix(filepath.Base(path), ".gctrace")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tr := readAll(t, traces[name], Options{})
		last := regexp.MustCompile(`: (\d+) collections, \d+ forced, (\d+) ns of pauses`).FindStringSubmatch(
			string(text))
		n, _ := strconv.Atoi(last[1])
		pauses, _ := strconv.ParseFloat(last[2], 64)
		if tr.GC.N != int64(n) || tr.STW.GC.N != int64(2*n) {
			t.Errorf("%s: %d collections and %d pauses; the process counted %d, of two each", name, tr.GC.N,
				tr.STW.GC.N, n)
		}
		// A trace counts from the request to stop; MemStats from the start of stopping,
		// until Go 1.21 less than that.
		if got := float64(tr.STW.GC.Total); got < 0.98*pauses || got > 1.02*pauses+200e3*float64(n) {
			t.Errorf("%s: %v of pauses; the process counted %v", name, tr.STW.GC.Total, time.Duration(pauses))
		}
		traced, _, _ := strings.Cut(string(text), "\ntrace ends\n")
		lines := gctraceLines(t, traced)
		if lines = lines[max(0, len(lines)-n):]; len(tr.GC.Cycles) != n || len(lines) != n {
			t.Fatalf("%s: %d cycles, %d lines", name, len(tr.GC.Cycles), len(lines))
		}
		for i, c := range tr.GC.Cycles {
			agreeCycle(t, name, i, c, lines[i])
		}
	}
}

// gctraceLine is a line of the collector's: what package runtime's documentation
// calls wall-clock times, heap sizes at start, at end, and live, and goal.
type gctraceLine struct {
	clock             time.Duration
	start, peak, live uint64 // MiB, cut off
	goal              uint64
}

func gctraceLines(t *testing.T, text string) (all []gctraceLine) {
	line := regexp.MustCompile(
		`gc \d+ @\S+ \d+%: (\S+)\+(\S+)\+(\S+) ms clock, .*, (\d+)->(\d+)->(\d+) MB, (\d+) MB goal`)
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		var l gctraceLine
		for _, ms := range m[1:4] {
			x, err := strconv.ParseFloat(ms, 64)
			if err != nil {
				t.Fatal(err)
			}
			l.clock += time.Duration(x * 1e6)
		}
		for i, to := range []*uint64{&l.start, &l.peak, &l.live, &l.goal} {
			*to, _ = strconv.ParseUint(m[4+i], 10, 64)
		}
		all = append(all, l)
	}
	return all
}

func agreeCycle(t *testing.T, name string, i int, c Cycle, l gctraceLine) {
	t.Helper()
	mark := c.End - c.Start
	off := mark - l.clock
	if i == 0 { // the process's first collection starts the workers before its clock
		off = min(off, 0)
	}
	if off.Abs() > mark/20+100*time.Microsecond {
		t.Errorf("%s: collection %d marks for %v; the process says %v", name, i, mark, l.clock)
	}
	near := func(what string, got, want uint64) {
		t.Helper()
		if got == 0 { // before the heap was told of
			return
		}
		if got := got >> 20; got+1 < want || got > want+1 {
			t.Errorf("%s: collection %d: %s %d MiB; the process says %d", name, i, what, got, want)
		}
	}
	near("heap at start", c.HeapStart, l.start)
	near("peak", c.HeapPeak, l.peak)
	near("live", c.HeapLive, l.live)
	near("goal", c.Goal, l.goal)
}

// reference are the figures of Go's own analysis; see testdata/README.md.
type reference struct {
	Events       int64
	User, System referenceSums
	MMU          map[string]float64
}

type referenceSums struct {
	Goroutines                int64
	Exec, Sched, Syscall, Off time.Duration
	Block, Ranges             map[string]time.Duration
}

func TestAgreesWithGo(t *testing.T) {
	var references map[string]reference
	decode(t, "testdata/reference.json", &references)
	old := map[string]bool{"go1.13.15": true, "go1.18.10": true, "go1.19.13": true, "go1.21.13": true}
	for name, text := range captured(t) {
		want, ok := references[name]
		if !ok {
			t.Errorf("%s has no reference", name)
			continue
		}
		tr := readAll(t, text, Options{Groups: 1000})
		asGo(t, name, tr)
		if tr.Events != want.Events {
			t.Errorf("%s: %d events; Go's reader gives %d", name, tr.Events, want.Events)
		}
		if old[name] {
			oldSyscalls(t, name, &tr.User, &want.User)
			oldSyscalls(t, name, &tr.System, &want.System)
		}
		agreeSums(t, name+", program", tr.User, want.User)
		agreeSums(t, name+", runtime", tr.System, want.System)
		if tr.MMU[2].Whole && old[name] { // Go's begins when GOMAXPROCS is first told
			tr.MMU[2].Util = want.MMU["100ms"]
		}
		agreeMMU(t, name, tr, want.MMU, 1e-4)
	}
}

// asGo gives the tracer's goroutine back to the program, to which Go's analysis counts it.
func asGo(t *testing.T, name string, tr *Trace) {
	t.Helper()
	for _, g := range tr.Groups {
		if !isTracer(g.Name) {
			continue
		}
		if !g.System || g.Goroutines != 1 || g.Blocked() == 0 {
			t.Errorf("%s: the tracer's goroutine is %+v", name, g)
		}
		tr.User, tr.System = plus(tr.User, g, 1), plus(tr.System, g, -1)
		return
	}
	t.Errorf("%s: the tracer's own goroutine is not in the trace", name)
}

// plus is g with n times the sums of o.
func plus(g, o Group, n time.Duration) Group {
	g.Goroutines += int64(n) * o.Goroutines
	g.Exec += n * o.Exec
	g.SchedWait += n * o.SchedWait
	g.Syscall += n * o.Syscall
	g.SyscallOff += n * o.SyscallOff
	move := func(to *[]Wait, of []Wait) {
		sums := slices.Clone(*to)
		for _, w := range of {
			addWait(&sums, w.Name, n*w.Time)
		}
		*to = slices.DeleteFunc(sums, func(w Wait) bool { return w.Time == 0 })
	}
	move(&g.Block, o.Block)
	move(&g.Ranges, o.Ranges)
	return g
}

// Go 1.21 has an analysis of its own for the traces of its time, in which the
// workers are counted as here. (It counts all pauses, of which Go 1.20 and older
// have only the collector's in a trace.)
func TestAgreesWithOldGo(t *testing.T) {
	var references map[string]map[string]float64
	decode(t, "testdata/reference-old.json", &references)
	if len(references) < 3 {
		t.Fatal(references)
	}
	traces := captured(t)
	for name, want := range references {
		agreeMMU(t, name, readAll(t, traces[name], Options{}), want, 1e-3)
	}
}

// oldSyscalls compares system calls of traces of Go 1.21 and older, and takes
// them out. One that was on when the trace began has no P; Go gives it that of
// who tells of it, and adds one that is on at the end without a P to the time
// that goroutines waited to run, too.
func oldSyscalls(t *testing.T, name string, g *Group, want *referenceSums) {
	t.Helper()
	got, all := g.SchedWait+g.Syscall+g.SyscallOff, want.Sched+want.Syscall+want.Off
	if off := all - got; off < 0 || off > all/10 {
		t.Errorf("%s: %v in system calls and runnable; Go's analysis says %v", name, got, all)
	}
	g.SchedWait, g.Syscall, g.SyscallOff = 0, 0, 0
	want.Sched, want.Syscall, want.Off = 0, 0, 0
}

// testdata/pprof.json are totals of go tool trace -pprof=sched, syscall and net.
// They hold only what ended in the trace, and of waits to run only those whose
// beginning has a stack.
func TestAgreesWithPprof(t *testing.T) {
	var references map[string]map[string]time.Duration
	decode(t, "testdata/pprof.json", &references)
	traces := captured(t)
	for name, want := range references {
		tr := readAll(t, traces[name], Options{})
		var network time.Duration
		for _, w := range append(tr.User.Block, tr.System.Block...) {
			if w.Name == "network" {
				network += w.Time
			}
		}
		for _, f := range []struct {
			what  string
			got   time.Duration
			share float64 // at least, of ours, that is in pprof's
		}{
			{"net", network, 0.999},
			{"syscall", tr.User.Syscall + tr.User.SyscallOff + tr.System.Syscall + tr.System.SyscallOff, 0.999},
			{"sched", tr.User.SchedWait + tr.System.SchedWait, 0.75},
		} {
			if got := Share(want[f.what], f.got); got < f.share || got > 1 {
				t.Errorf("%s: %s is %v; go tool trace's profile says %v, a share of %.4f", name, f.what, f.got,
					want[f.what], got)
			}
		}
	}
}

func decode(t *testing.T, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

func agreeMMU(t *testing.T, name string, tr *Trace, want map[string]float64, within float64) {
	t.Helper()
	if len(tr.MMU) != len(want) {
		t.Errorf("%s: %d windows", name, len(tr.MMU))
	}
	for _, m := range tr.MMU {
		if math.Abs(m.Util-want[m.Window.String()]) > within {
			t.Errorf("%s: in %v %.6f of the processors are the program's; Go's analysis says %.6f", name, m.Window,
				m.Util, want[m.Window.String()])
		}
	}
}

func agreeSums(t *testing.T, name string, g Group, want referenceSums) {
	t.Helper()
	same := func(what string, got, want time.Duration) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s %v; Go's analysis says %v", name, what, got, want)
		}
	}
	if g.Goroutines != want.Goroutines {
		t.Errorf("%s: %d goroutines; Go's analysis says %d", name, g.Goroutines, want.Goroutines)
	}
	same("execution", g.Exec, want.Exec)
	same("waiting to run", g.SchedWait, want.Sched)
	same("in system calls", g.Syscall, want.Syscall)
	same("in system calls without a P", g.SyscallOff, want.Off)
	for _, waits := range []struct {
		got  []Wait
		want map[string]time.Duration
	}{{g.Block, want.Block}, {g.Ranges, want.Ranges}} {
		for _, w := range waits.got {
			same(w.Name, w.Time, waits.want[w.Name])
			delete(waits.want, w.Name)
		}
		for name, d := range waits.want {
			same(name, 0, d)
		}
	}
}
