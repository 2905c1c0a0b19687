package exectrace

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// cyclesShown is how many collections the text lists: the longest.
const cyclesShown = 10

// Write writes the figures as text for a terminal.
func (t *Trace) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Trace of %s, %s long: %s events, %s goroutines, %d threads, GOMAXPROCS %s\n", t.Written, durationText(t.Span),
		thousands(t.Events), thousands(t.User.Goroutines+t.System.Goroutines), t.Threads, orUnknown(t.MaxProcs))
	section(&b, []string{"garbage collector", "number", "total", "of the span"}, t.gcRows())
	section(&b, []string{"world stopped", "number", "total", "longest"}, t.pauseRows())
	section(&b, []string{"processors' time", "total", "share"}, t.procRows())
	section(&b, []string{"minimum mutator utilisation", "share", "worst at"}, t.mmuRows())
	section(&b, []string{"goroutines", "number", "running", "runnable", "blocked", "in syscalls"}, t.groupRows())
	section(&b, []string{"program's goroutines blocked by", "total", "share"}, waitRows(t.User.Block))
	section(&b, []string{"program's goroutines in", "total", ""}, rangeRows(t.User.Ranges))
	section(&b, []string{t.cyclesTitle(), "marking", "heap", "peak", "live", "goal"}, t.cycleRows())
	for _, warning := range t.Warnings {
		fmt.Fprintf(&b, "\nwarning: %s\n", warning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// section writes a table: words to the left, figures to the right.
func section(b *strings.Builder, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	rows = append([][]string{header}, rows...)
	widths := make([]int, len(header))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	b.WriteByte('\n')
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += cell + pad
			} else {
				line += "  " + pad + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (t *Trace) gcRows() [][]string {
	of := func(d time.Duration) string { return percent(share(d, t.Span)) }
	rows := [][]string{{"mark phases", thousands(t.GC.N), durationText(t.GC.Mark), of(t.GC.Mark)}}
	if t.GC.Assists > 0 {
		rows = append(rows, []string{"assists, with their waits", thousands(t.GC.Assists), durationText(t.GC.Assist), ""})
	}
	if t.GC.Sweeps > 0 {
		rows = append(rows, []string{"sweeps before allocating", thousands(t.GC.Sweeps), durationText(t.GC.Sweep), ""})
	}
	for _, w := range t.GC.Workers {
		runs := thousands(w.Runs)
		if w.Runs == 0 {
			runs = ""
		}
		rows = append(rows, []string{w.Kind + " workers", runs, durationText(w.Time), ""})
	}
	return rows
}

func (t *Trace) pauseRows() (rows [][]string) {
	row := func(name string, p Pauses) {
		rows = append(rows, []string{name, thousands(p.N), durationText(p.Total), durationText(p.Max)})
	}
	row("by the collector", t.STW.GC)
	for _, r := range t.STW.Reasons {
		if r.GC {
			row("  "+named(r.Reason), r.Pauses)
		}
	}
	row("for other reasons", t.STW.Tool)
	for _, r := range t.STW.Reasons {
		if !r.GC {
			row("  "+named(r.Reason), r.Pauses)
		}
	}
	return rows
}

func (t *Trace) procRows() (rows [][]string) {
	p := t.ProcTime
	for _, r := range []struct {
		name string
		d    time.Duration
	}{
		{"collector", p.GC()}, {"  dedicated workers", p.Dedicated}, {"  fractional workers", p.Fractional}, {"  idle workers", p.IdleMark},
		{"  workers without a label", p.OtherMark}, {"  assists", p.Assist}, {"  ending the collection", p.AfterMark},
		{"  sweeps before allocating", p.Sweep}, {"  background sweeper", p.BackSweep},
		{"program", p.User}, {"system calls", p.Syscall}, {"runtime", p.System}, {"looking for work", p.Scheduler},
		{"stopped by the collector", p.Stopped}, {"stopped for other reasons", p.StoppedBy}, {"idle", p.Idle},
	} {
		if r.d > 0 || r.name == "collector" {
			rows = append(rows, []string{r.name, durationText(r.d), percent(share(r.d, p.Total))})
		}
	}
	return append(rows, []string{"all", durationText(p.Total), ""})
}

func (t *Trace) mmuRows() (rows [][]string) {
	for _, m := range t.MMU {
		name, at := "in "+durationText(m.Window), durationText(m.At)
		if m.Whole {
			name, at = name+" (longer than the trace: of the whole)", ""
		}
		rows = append(rows, []string{name, percent(m.Util), at})
	}
	return rows
}

func (t *Trace) groupRows() (rows [][]string) {
	for i, g := range append([]Group{t.User, t.System}, t.Groups...) {
		name := named(g.Name)
		if i > 1 {
			name = "  " + name
		}
		rows = append(rows, []string{name, thousands(g.Goroutines), durationText(g.Exec), durationText(g.SchedWait),
			durationText(g.Blocked()), durationText(g.Syscall + g.SyscallOff)})
	}
	return rows
}

func waitRows(waits []Wait) (rows [][]string) {
	all := Group{Block: waits}.Blocked()
	for _, w := range waits {
		rows = append(rows, []string{named(w.Name), durationText(w.Time), percent(share(w.Time, all))})
	}
	return rows
}

func rangeRows(waits []Wait) (rows [][]string) {
	for _, w := range waits {
		rows = append(rows, []string{w.Name, durationText(w.Time), ""})
	}
	return rows
}

func (t *Trace) cyclesTitle() string {
	if t.GC.N > cyclesShown {
		return fmt.Sprintf("%d longest collections, earliest first, at", cyclesShown)
	}
	return "collections at"
}

func (t *Trace) cycleRows() (rows [][]string) {
	shown := longest[Cycle]{keep: cyclesShown}
	for _, c := range t.GC.Cycles {
		shown.add(c)
	}
	for _, c := range shown.all() {
		at, marking := c.times()
		rows = append(rows, []string{at, marking, bytesText(c.HeapStart), bytesText(c.HeapPeak), bytesText(c.HeapLive), bytesText(c.Goal)})
	}
	return rows
}

func named(s string) string {
	if s == "" {
		return "(not in the trace)"
	}
	return s
}

func orUnknown(n int) string {
	if n == 0 {
		return "unknown"
	}
	return strconv.Itoa(n)
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// durationText is a duration in three digits or more, with its unit.
func durationText(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.size {
			return scaled(float64(d)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d ns", d)
}

// bytesText is a size in three digits or more; "-" is unknown.
func bytesText(n uint64) string {
	if n == 0 {
		return "-"
	}
	for _, u := range []struct {
		size uint64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.size {
			return scaled(float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

func scaled(x float64, unit string) string {
	digits := 2
	switch {
	case x >= 99.95:
		digits = 0
	case x >= 9.995:
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, x, unit)
}

// thousands is a count with its thousands apart.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// times are when a collection began and how long it marked, in words.
func (c Cycle) times() (at, marking string) {
	at, marking = durationText(c.Start), durationText(c.End-c.Start)
	if c.CutStart {
		at = "before the trace"
	}
	if c.CutEnd {
		marking = "> " + marking
	}
	return at, marking
}
