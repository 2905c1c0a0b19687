package exectrace

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// cyclesShown is how many collections are listed: the longest.
const cyclesShown = 10

// Document returns what a trace says: its picture on the page, and all figures.
func (t *Trace) Document(title string) *document.Document {
	p := t.Picture()
	p.On, p.Says = document.Page, document.Say(t.Sentence())
	if t.GC.N > 0 {
		p.Table = t.collections()
	}
	d := &document.Document{Title: "What takes the time in " + title + "?", Blocks: []document.Block{
		&document.Sentence{Frame: document.Frame{Class: "lead"}, Text: document.As(document.Strong, t.Answer()), Hang: 2,
			Flow: true}, p}}
	d.Add(t.Blocks()...)
	return d
}

// Blocks returns the figures of a trace.
func (t *Trace) Blocks() []document.Block {
	procs := "unknown"
	if t.MaxProcs > 0 {
		procs = strconv.Itoa(t.MaxProcs)
	}
	out := []document.Block{document.Sentencef("Trace of %s, %s long: %s events, %s goroutines, %d threads, GOMAXPROCS %s",
		t.Written, units.Duration(t.Span), units.Thousands(t.Events), units.Thousands(t.User.Goroutines+t.System.Goroutines),
		t.Threads, procs)}
	for _, x := range []*document.Table{t.collector(), t.pauses(), t.procTime(), t.utilization(), t.groups(), t.blocked(),
		t.ranges(), t.longest()} {
		if x.Gap = 1; len(x.Rows) > 0 {
			out = append(out, x)
		}
	}
	for _, w := range t.Warnings {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "warning", Gap: 1}, Hang: 2,
			Text: document.As(document.Warning, "warning: ").And(document.As(document.Given, w))})
	}
	return out
}

func figures(heads ...string) *document.Table {
	return &document.Table{Columns: document.Heads(document.Figure, heads...)}
}

// add appends a row that a name tells apart, which may be one of the program's.
func add(t *document.Table, name string, figures ...string) {
	t.Say(append([]string{""}, figures...)...).Cells[0] = document.As(document.Given, name)
}

func (t *Trace) collector() *document.Table {
	x := figures("garbage collector", "count", "total", "share of trace")
	x.Say("mark phases", units.Thousands(t.GC.N), units.Duration(t.GC.Mark), units.Percent(Share(t.GC.Mark, t.Span)))
	if t.GC.Assists > 0 {
		x.Say("mark assists, waits included", units.Thousands(t.GC.Assists), units.Duration(t.GC.Assist))
	}
	if t.GC.Sweeps > 0 {
		x.Say("incremental sweeps", units.Thousands(t.GC.Sweeps), units.Duration(t.GC.Sweep))
	}
	for _, w := range t.GC.Workers {
		runs := units.Thousands(w.Runs)
		if w.Runs == 0 {
			runs = ""
		}
		x.Say(w.Kind+" mark workers", runs, units.Duration(w.Time))
	}
	return x
}

func (t *Trace) pauses() *document.Table {
	x := figures("stop-the-world pauses", "count", "total", "longest")
	row := func(name string, p Pauses) {
		add(x, name, units.Thousands(p.N), units.Duration(p.Total), units.Duration(p.Max))
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
	return x
}

func (t *Trace) procTime() *document.Table {
	p := t.ProcTime
	x := figures("CPU time by kind", "total", "share")
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
			x.Say(r.name, units.Duration(r.d), units.Percent(Share(r.d, p.Total)))
		}
	}
	x.Say("total", units.Duration(p.Total)).Last = true
	return x
}

func (t *Trace) utilization() *document.Table {
	x := figures("minimum mutator utilization", "share", "lowest at")
	for _, m := range t.MMU {
		name, at := "window of "+units.Duration(m.Window), units.Duration(m.At)
		if m.Whole {
			name, at = name+" (longer than the trace, which is taken instead)", ""
		}
		x.Say(name, units.Percent(m.Util), at)
	}
	return x
}

func (t *Trace) groups() *document.Table {
	x := figures("goroutines", "count", "running", "runnable", "blocked", "in syscalls")
	for i, g := range append([]Group{t.User, t.System}, t.Groups...) {
		name := Named(g.Name)
		if i > 1 {
			name = "  " + name
		}
		add(x, name, units.Thousands(g.Goroutines), units.Duration(g.Exec), units.Duration(g.SchedWait),
			units.Duration(g.Blocked()), units.Duration(g.Syscall+g.SyscallOff))
	}
	return x
}

func (t *Trace) blocked() *document.Table {
	x := figures("goroutines of the program blocked on", "total", "share")
	all := Group{Block: t.User.Block}.Blocked()
	for _, w := range t.User.Block {
		add(x, Named(w.Name), units.Duration(w.Time), units.Percent(Share(w.Time, all)))
	}
	return x
}

func (t *Trace) ranges() *document.Table {
	x := figures("goroutines of the program in", "total")
	for _, w := range t.User.Ranges {
		add(x, w.Name, units.Duration(w.Time))
	}
	return x
}

func (t *Trace) longest() *document.Table {
	title := "GC cycles, by start time"
	if t.GC.N > cyclesShown {
		title = fmt.Sprintf("%d longest GC cycles, by start time", cyclesShown)
	}
	size := func(n uint64) string {
		if n == 0 { // not known
			return units.None
		}
		return units.Bytes(n)
	}
	x := figures(title, "mark phase", "heap at start", "peak heap", "live heap", "heap goal")
	for _, c := range t.GC.Longest(cyclesShown) {
		at, marking := c.times()
		x.Say(at, marking, size(c.HeapStart), size(c.HeapPeak), size(c.HeapLive), size(c.Goal))
	}
	return x
}

// Named returns the name of something in a trace, which may be missing there.
func Named(s string) string {
	if s == "" {
		return "(name not in the trace)"
	}
	return s
}

// Share returns the share that a part has of the total.
func Share(part, total time.Duration) float64 {
	if total <= 0 {
		return 0
	}
	return float64(part) / float64(total)
}

// times returns when a collection began and how long it marked, in words.
func (c Cycle) times() (at, marking string) {
	at, marking = units.Duration(c.Start), units.Duration(c.End-c.Start)
	if c.CutStart {
		at = "before the trace"
	}
	if c.CutEnd {
		marking = "> " + marking
	}
	return at, marking
}

// collectionsShown is how many collections a picture's table has: the longest.
const collectionsShown = 20

// PictureTables returns the figures of the picture of a trace: the collections with their pauses,
// the longest by start, and where the processors' time went.
func (t *Trace) PictureTables() []*document.Table {
	procs := t.procTime()
	procs.Title, procs.Columns[0].Head = document.Say("CPU time by kind"), "kind"
	if t.GC.N == 0 {
		return []*document.Table{procs}
	}
	return []*document.Table{t.collections(), procs}
}

func (t *Trace) collections() *document.Table {
	title := "GC cycles"
	if t.GC.N > collectionsShown {
		title = fmt.Sprintf("The %d longest of %s GC cycles", collectionsShown, units.Thousands(t.GC.N))
	}
	for _, left := range t.Left {
		if left.Kind == GCStop {
			title += fmt.Sprintf("; the shortest %s pauses are left out", units.Thousands(left.N))
		}
	}
	x := figures("start", "mark phase", "pauses")
	x.Title = document.Say(title)
	for _, cycle := range t.GC.Longest(collectionsShown) {
		start, marking := cycle.times()
		each := []string{}
		for _, p := range t.PausesOf(cycle) {
			each = append(each, units.Duration(p))
		}
		if len(each) == 0 {
			each = append(each, units.None)
		}
		x.Say(start, marking, strings.Join(each, " + "))
	}
	return x
}

// Answer says what the collector takes of the CPU time, what stopped the world for longest, and
// which goroutines allocate so much that they had to mark.
func (t *Trace) Answer() string {
	out := "The garbage collector did not run"
	if used := t.ProcTime.Total - t.ProcTime.Idle; used > 0 && t.GC.N > 0 {
		out = fmt.Sprintf("The garbage collector took %s of the CPU time that was used", units.Percent(Share(t.ProcTime.GC(),
			used)))
	} else if t.GC.N > 0 {
		out = "The garbage collector ran " + units.Plural(t.GC.N, "time")
	}
	longest := Reason{}
	for _, r := range t.STW.Reasons {
		if r.Max > longest.Max {
			longest = r
		}
	}
	if longest.Max > 0 {
		out += fmt.Sprintf(". The longest pause of all goroutines was %s (%s)", units.Duration(longest.Max), Named(longest.Reason))
	}
	name, most, all := "", time.Duration(0), time.Duration(0)
	for _, g := range t.Groups {
		for _, w := range g.Ranges {
			if w.Name != assistRange {
				continue
			}
			if all += w.Time; w.Time > most {
				name, most = g.Name, w.Time
			}
		}
	}
	if most > 0 {
		out += fmt.Sprintf(". Of the time in mark assists, which those pay who allocate, %s is of goroutines that began with %s",
			units.Percent(Share(most, all)), Named(name))
	}
	return out + "."
}

// Sentence says what the collector did.
func (t *Trace) Sentence() string {
	switch t.GC.N {
	case 0:
		return fmt.Sprintf("No GC cycle in a trace of %s", units.Duration(t.Span))
	case 1:
		return fmt.Sprintf("One GC cycle in a trace of %s, which stopped the world for %s", units.Duration(t.Span),
			units.Duration(t.STW.GC.Total))
	}
	return fmt.Sprintf("In a trace of %s, %s GC cycles stopped the world for %s in all and %s at most",
		units.Duration(t.Span), units.Thousands(t.GC.N), units.Duration(t.STW.GC.Total), units.Duration(t.STW.GC.Max))
}
