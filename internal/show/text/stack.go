package text

import (
	"fmt"
	"io"
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/gotool/stacklog"
)

// A StackRun is what a log or a trace says of stacks, with what it is of.
type StackRun struct {
	Name   string      // program and toolchain
	Ended  string      // how the program ended
	Facts  [][2]string // command and the like: name and text
	Notes  []string    // what is to be known beside the warnings of the Log
	Failed []string    // what went wrong
	Log    *stacklog.Log
	Check  []stacklog.Difference // the log beside the trace
	Within float64               // the share by which they may differ, if they agree; 0 if they do not
}

// shortRows is how many rows of a table of stacks are written without Long.
const shortRows = 10

// Stacks writes what was found of the runs: a table of all, if there are several,
// then each.
func Stacks(w io.Writer, runs []StackRun, s Style) error {
	p := &printer{w: w, Style: s}
	if len(runs) > 1 {
		p.tableHere(StackOverviewTable(runs).untitled())
		p.f("\n")
	}
	for i, r := range runs {
		if i > 0 {
			p.f("\n")
		}
		writeStackRun(p, r)
	}
	return p.err
}

// StackOverview writes a table of the runs, a row each.
func StackOverview(w io.Writer, runs []StackRun, s Style) error {
	p := &printer{w: w, Style: s}
	p.tableHere(StackOverviewTable(runs).untitled())
	return p.err
}

func writeStackRun(p *printer, r StackRun) {
	p.say("%s: %s", r.Name, r.Ended)
	for _, n := range r.Notes {
		p.say("note: %s", n)
	}
	if r.Log == nil {
		return
	}
	writeStackLog(p, r.Log)
	for _, s := range StackAdvice(r.Log) {
		p.f("\n")
		p.say("→ %s", s)
	}
	writeStackCheck(p, r)
}

// writeStackLog writes the figures of a log: totals, the first growths, steps, sizes,
// chains, functions.
func writeStackLog(p *printer, l *stacklog.Log) {
	for _, line := range StackTotals(l) {
		p.say("%s", line)
	}
	for _, t := range StackTables(l) {
		if over := len(t.Rows) - shortRows; over > 0 && !p.Long {
			t.Rows, t.More = t.Rows[:shortRows], t.More+int64(over)
		}
		p.table(t.untitled())
	}
	for _, warning := range l.Warnings {
		p.f("\n")
		p.say("warning: %v", warning)
	}
}

func writeStackCheck(p *printer, r StackRun) {
	t := Table{Header: []string{"while the trace was on", "stack log", "trace", "difference"}}
	for _, d := range r.Check {
		t.add(d.Figure, strconv.FormatInt(d.Log, 10), strconv.FormatInt(d.Trace, 10), units.Percent(d.Off()))
	}
	p.table(t)
	if len(r.Check) > 0 && r.Within > 0 {
		p.say("The log and the trace agree within %g%%, except for a few stacks at the ends of the trace.",
			100*r.Within)
	}
}

// StackOverviewTable returns a table of runs, one row each.
func StackOverviewTable(runs []StackRun) Table {
	t := Table{Title: "All programs", Header: []string{"program", "growths", "shrinks", "largest stack", "bytes copied",
		"stacks", "reused", "most growths in"}, Left: map[int]bool{7: true}}
	for _, r := range runs {
		l := r.Log
		if l == nil {
			t.add(r.Name, "", "", "", "", "", "", "not run")
			continue
		}
		copied, most := strconv.FormatInt(l.Copied(), 10), ""
		if l.Trace {
			copied = "?"
		}
		if len(l.Sites) > 0 {
			most, _ = sitePlaces(l.Sites[0])
		}
		t.add(r.Name, fmt.Sprint(l.Grows.N), fmt.Sprint(l.Shrinks.N), units.Bytes(l.Largest), copied,
			fmt.Sprint(l.Allocs.N), fmt.Sprint(l.Reused), most)
	}
	return t
}
