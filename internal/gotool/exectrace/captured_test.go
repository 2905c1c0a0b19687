package exectrace

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memcost/internal/testkit"
)

// captured are the traces in testdata, by name without ending; testdata/README.md
// says how they were made.
func captured(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.trace.gz")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d traces in testdata: %v", len(paths), err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		all[strings.TrimSuffix(filepath.Base(path), ".trace.gz")] = testkit.Captured(t, path)
	}
	return all
}

func readAll(t testing.TB, text []byte, o Options) *Trace {
	t.Helper()
	tr, err := Read(bytes.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestCaptured(t *testing.T) {
	for name, text := range captured(t) {
		tr := readAll(t, text, Options{})
		if tr.Bytes != int64(len(text)) || len(tr.Warnings) != 0 {
			t.Errorf("%s: %d bytes of %d, warnings %q", name, tr.Bytes, len(text), tr.Warnings)
		}
		if tr.MaxProcs != 4 && tr.MaxProcs != 2 || tr.GC.N == 0 || tr.STW.GC.N == 0 || tr.Threads < 2 ||
			len(tr.Heap) == 0 || len(tr.Goal) == 0 {
			t.Errorf("%s: GOMAXPROCS %d, %d collections, %d pauses, %d threads, %d and %d sizes of the heap",
				name, tr.MaxProcs, tr.GC.N, tr.STW.GC.N, tr.Threads, len(tr.Heap), len(tr.Goal))
		}
		p := tr.ProcTime
		if most := time.Duration(tr.MaxProcs) * tr.GC.Mark; p.Dedicated+p.Fractional+p.IdleMark+p.Assist > most ||
			p.AfterMark == 0 {
			t.Errorf("%s: the processors have %v in mark phases, and mark for %v, %v, %v and %v; %v after them",
				name, most, p.Dedicated, p.Fractional, p.IdleMark, p.Assist, p.AfterMark)
		}
		for _, w := range tr.User.Block {
			if w.Name == "system goroutine wait" { // the tracer's own goroutine
				t.Errorf("%s: a goroutine of the runtime's is counted as the program's: %v", name, w)
			}
		}
		for _, fault := range faults(tr) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// faults are what cannot be in any trace, whole or damaged.
func faults(tr *Trace) (all []string) {
	fault := func(bad bool, text string) {
		if bad {
			all = append(all, text)
		}
	}
	p := tr.ProcTime
	parts := []time.Duration{p.Dedicated, p.Fractional, p.IdleMark, p.OtherMark, p.Assist, p.AfterMark, p.Sweep,
		p.BackSweep, p.User, p.System,
		p.Syscall, p.Scheduler, p.Stopped, p.StoppedBy, p.Idle}
	var sum time.Duration
	for _, d := range parts {
		fault(d < 0, "a part of the processors' time is negative")
		sum += d
	}
	fault(sum != p.Total, "the parts of the processors' time do not sum to it")
	fault(p.GCShare() < 0 || p.GCShare() > 1, "the collector's share is not one")
	var groups, both Group
	for i, g := range append([]Group{tr.User, tr.System}, tr.Groups...) {
		fault(g.Exec < 0 || g.SchedWait < 0 || g.Syscall < 0 || g.SyscallOff < 0 || g.Blocked() < 0 || g.Goroutines < 0,
			"a goroutine's time is negative")
		to := &groups
		if i < 2 {
			to = &both
		}
		to.Goroutines += g.Goroutines
		to.Exec += g.Exec
		to.SchedWait += g.SchedWait
		to.Syscall += g.Syscall + g.Blocked()
	}
	fault(groups.Exec != both.Exec || groups.SchedWait != both.SchedWait || groups.Syscall != both.Syscall ||
		groups.Goroutines != both.Goroutines,
		"the groups do not sum to the program's and the runtime's goroutines")
	for i, m := range tr.MMU {
		fault(m.Util < 0 || m.Util > 1, "a utilisation is not a share")
		fault(i > 0 && !m.Whole && m.Util < tr.MMU[i-1].Util-1e-9, "a window ten times as long is worse")
	}
	for _, i := range tr.Timeline {
		fault(i.End < i.Start || i.Start < 0 || i.End > tr.Span, "an interval is not in the trace")
	}
	fault(!slices.IsSortedFunc(tr.Timeline, byStart[Interval]), "the timeline is not in order")
	for _, h := range [][]Point{tr.Heap, tr.Goal} {
		fault(!slices.IsSortedFunc(h, func(a, b Point) int {
			return int(a.At - b.At)
		}), "the heap's sizes are not in order")
	}
	fault(int64(len(tr.GC.Cycles))+tr.GC.Left != tr.GC.N, "collections are missing")
	return all
}

func TestJSON(t *testing.T) {
	tr := readAll(t, captured(t)["go1.27.4"], Options{})
	text, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	var back Trace
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(&back)
	if !bytes.Equal(text, again) {
		t.Errorf("JSON does not come back as it went: %d bytes, %d bytes", len(text), len(again))
	}
	for _, want := range []string{`"maxProcs":4`, `"reason":"GC mark termination","gc":true,"n":4,"totalNs":`,
		`"kind":"stw-tool"`, `"heapLive":`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in the JSON", want)
		}
	}
}
