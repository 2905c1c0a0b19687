package text

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/gotool/exectrace"
)

// cyclesShown is how many collections the text lists: the longest.
const cyclesShown = 10

// Trace writes the figures of an execution trace.
func Trace(w io.Writer, t *exectrace.Trace, s Style) error {
	p := &printer{w: w, Style: s}
	p.say("Trace of %s, %s long: %s events, %s goroutines, %d threads, GOMAXPROCS %s", t.Written,
		units.Duration(t.Span),
		units.Thousands(t.Events), units.Thousands(t.User.Goroutines+t.System.Goroutines), t.Threads, known(t.MaxProcs))
	for _, x := range traceTables(t) {
		p.table(x)
	}
	for _, warning := range t.Warnings {
		p.f("\n")
		p.say("warning: %s", warning)
	}
	return p.err
}

// traceTables returns the figures of a trace.
func traceTables(t *exectrace.Trace) []Table {
	table := func(rows [][]string, header ...string) Table {
		out := Table{Header: header}
		for _, r := range rows {
			out.add(r...)
		}
		return out
	}
	return []Table{
		table(gcRows(t), "garbage collector", "count", "total", "share of trace"),
		table(pauseRows(t), "stop-the-world pauses", "count", "total", "longest"),
		table(procRows(t), "CPU time by kind", "total", "share"),
		table(mmuRows(t), "minimum mutator utilization", "share", "lowest at"),
		table(groupRows(t), "goroutines", "count", "running", "runnable", "blocked", "in syscalls"),
		table(waitRows(t.User.Block), "goroutines of the program blocked on", "total", "share"),
		table(rangeRows(t.User.Ranges), "goroutines of the program in", "total"),
		table(cycleRows(t), cyclesTitle(t), "mark phase", "heap at start", "peak heap", "live heap", "heap goal"),
	}
}

func gcRows(t *exectrace.Trace) [][]string {
	of := func(d time.Duration) string { return units.Percent(Share(d, t.Span)) }
	rows := [][]string{{"mark phases", units.Thousands(t.GC.N), units.Duration(t.GC.Mark), of(t.GC.Mark)}}
	if t.GC.Assists > 0 {
		rows = append(rows, []string{"mark assists, waits included", units.Thousands(t.GC.Assists),
			units.Duration(t.GC.Assist), ""})
	}
	if t.GC.Sweeps > 0 {
		rows = append(rows, []string{"incremental sweeps", units.Thousands(t.GC.Sweeps),
			units.Duration(t.GC.Sweep), ""})
	}
	for _, w := range t.GC.Workers {
		runs := units.Thousands(w.Runs)
		if w.Runs == 0 {
			runs = ""
		}
		rows = append(rows, []string{w.Kind + " mark workers", runs, units.Duration(w.Time), ""})
	}
	return rows
}

func pauseRows(t *exectrace.Trace) (rows [][]string) {
	row := func(name string, p exectrace.Pauses) {
		rows = append(rows, []string{name, units.Thousands(p.N), units.Duration(p.Total), units.Duration(p.Max)})
	}
	row("GC", t.STW.GC)
	for _, r := range t.STW.Reasons {
		if r.GC {
			row("  "+Named(r.Reason), r.Pauses)
		}
	}
	row("other reasons", t.STW.Tool)
	for _, r := range t.STW.Reasons {
		if !r.GC {
			row("  "+Named(r.Reason), r.Pauses)
		}
	}
	return rows
}

func procRows(t *exectrace.Trace) (rows [][]string) {
	p := t.ProcTime
	for _, r := range []struct {
		name string
		d    time.Duration
	}{
		{"GC", p.GC()}, {"  dedicated mark workers", p.Dedicated}, {"  fractional mark workers", p.Fractional},
		{"  idle mark workers", p.IdleMark},
		{"  other mark workers", p.OtherMark}, {"  mark assists", p.Assist}, {"  mark termination", p.AfterMark},
		{"  incremental sweep", p.Sweep}, {"  background sweep", p.BackSweep},
		{"program", p.User}, {"system calls", p.Syscall}, {"runtime", p.System}, {"spinning", p.Scheduler},
		{"stop-the-world for GC", p.Stopped}, {"stop-the-world for other reasons", p.StoppedBy}, {"idle", p.Idle},
	} {
		if r.d > 0 || r.name == "GC" {
			rows = append(rows, []string{r.name, units.Duration(r.d), units.Percent(Share(r.d, p.Total))})
		}
	}
	return append(rows, []string{"total", units.Duration(p.Total), ""})
}

func mmuRows(t *exectrace.Trace) (rows [][]string) {
	for _, m := range t.MMU {
		name, at := "window of "+units.Duration(m.Window), units.Duration(m.At)
		if m.Whole {
			name, at = name+" (longer than the trace, which is taken instead)", ""
		}
		rows = append(rows, []string{name, units.Percent(m.Util), at})
	}
	return rows
}

func groupRows(t *exectrace.Trace) (rows [][]string) {
	for i, g := range append([]exectrace.Group{t.User, t.System}, t.Groups...) {
		name := Named(g.Name)
		if i > 1 {
			name = "  " + name
		}
		rows = append(rows, []string{name, units.Thousands(g.Goroutines), units.Duration(g.Exec),
			units.Duration(g.SchedWait),
			units.Duration(g.Blocked()), units.Duration(g.Syscall + g.SyscallOff)})
	}
	return rows
}

func waitRows(waits []exectrace.Wait) (rows [][]string) {
	all := exectrace.Group{Block: waits}.Blocked()
	for _, w := range waits {
		rows = append(rows, []string{Named(w.Name), units.Duration(w.Time), units.Percent(Share(w.Time, all))})
	}
	return rows
}

func rangeRows(waits []exectrace.Wait) (rows [][]string) {
	for _, w := range waits {
		rows = append(rows, []string{w.Name, units.Duration(w.Time)})
	}
	return rows
}

func cyclesTitle(t *exectrace.Trace) string {
	if t.GC.N > cyclesShown {
		return fmt.Sprintf("%d longest GC cycles, by start time", cyclesShown)
	}
	return "GC cycles, by start time"
}

func cycleRows(t *exectrace.Trace) (rows [][]string) {
	for _, c := range t.GC.Longest(cyclesShown) {
		at, marking := cycleTimes(c)
		rows = append(rows, []string{at, marking, size(c.HeapStart), size(c.HeapPeak), size(c.HeapLive), size(c.Goal)})
	}
	return rows
}

// Named returns the name of something in a trace, which may be missing there.
func Named(s string) string {
	if s == "" {
		return "(name not in the trace)"
	}
	return s
}

func known(n int) string {
	if n == 0 {
		return "unknown"
	}
	return strconv.Itoa(n)
}

// size formats a size of the heap; 0 is unknown.
func size(n uint64) string {
	if n == 0 {
		return units.None
	}
	return units.Bytes(n)
}

// Share returns the share that a part has of the total.
func Share(part, total time.Duration) float64 {
	if total <= 0 {
		return 0
	}
	return float64(part) / float64(total)
}

// cycleTimes returns when a collection began and how long it marked, in words.
func cycleTimes(c exectrace.Cycle) (at, marking string) {
	at, marking = units.Duration(c.Start), units.Duration(c.End-c.Start)
	if c.CutStart {
		at = "before the trace"
	}
	if c.CutEnd {
		marking = "> " + marking
	}
	return at, marking
}
