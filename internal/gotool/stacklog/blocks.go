package stacklog

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// shortRows is how many rows of a table are shown where not all is asked for.
const shortRows = 10

// Blocks returns what a log says: its sums, the first growths, steps, sizes, chains and functions,
// what was not read, and what the figures suggest.
func (l *Log) Blocks() []document.Block {
	out := []document.Block{&document.Sentence{Frame: document.Frame{Class: "lead"}, Hang: 2, Flow: true,
		Text: document.As(document.Strong, l.Answer())}}
	for _, say := range l.totals() {
		out = append(out, document.Sentencef("%s", say))
	}
	if p := l.Picture(); p != nil {
		p.On = document.Page
		out = append(out, p)
	}
	for _, t := range l.Tables() {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	for _, w := range l.Warnings {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "warning", Gap: 1}, Hang: 2,
			Text: document.As(document.Warning, "warning: ").And(document.As(document.Given, w.Error()))})
	}
	for _, say := range l.Advice() {
		out = append(out, &document.Sentence{Frame: document.Frame{Class: "advice", Gap: 1}, Hang: 2,
			Text: document.Say("→ ", say)})
	}
	return out
}

// Answer says how often stacks grew, what that copied, and where most of it happened.
func (l *Log) Answer() string {
	if l.Grows.N == 0 {
		return "No stack grew; the largest is " + units.Bytes(l.Largest) + "."
	}
	out := "Stacks grew " + units.Thousands(l.Grows.N) + " times"
	if l.Grows.N == 1 {
		out = "One stack grew"
	}
	if !l.Trace {
		out += " and " + units.Bytes(l.Copied()) + " were copied"
	}
	out += "; the largest stack is " + units.Bytes(l.Largest) + "."
	var top Site
	for _, s := range l.Sites {
		if s.N > top.N && s.Func != "" {
			top = s
		}
	}
	if top.N > 0 {
		out += fmt.Sprintf(" %s of the growths are in %s", units.Percent(float64(top.N)/float64(l.Grows.N)), top.Func)
		if top.Caller != "" {
			out += ", called by " + top.Caller
		}
		out += "."
	}
	return out
}

// totals returns the sums of a log.
func (l *Log) totals() []string {
	first := units.Plural(l.Grows.N, "growth") + ", " + units.Plural(l.Shrinks.N, "shrink")
	if !l.Trace {
		first += ", " + units.Plural(l.Copied(), "byte") + " copied"
	}
	lines := []string{first + ", largest stack " + units.Bytes(l.Largest),
		fmt.Sprintf("%s allocated (%s; %d reused from freed stacks, %d new), %d freed (%s)",
			units.Plural(l.Allocs.N, "stack"),
			units.Bytes(l.Allocs.Bytes), l.Reused, l.Fresh(), l.Frees.N, units.Bytes(l.Frees.Bytes))}
	if !l.Trace {
		lines = append(lines, fmt.Sprintf("%s; stack caches cleared %s; %d of %d log lines are about stacks",
			units.Plural(l.Preempts, "preemption"), units.Plural(l.CacheClears, "time"), l.Own, l.Lines))
	}
	return lines
}

// Tables returns the figures of a log; a trace has neither the functions that grew nor what was
// in use.
func (l *Log) Tables() []*document.Table {
	all := []*document.Table{l.growths(), l.steps(), l.sizes(), l.chains(), l.sites()}
	if l.Trace {
		for _, t := range all[:3] {
			t.Columns = t.Columns[:4]
			for i := range t.Rows {
				t.Rows[i].Cells = t.Rows[i].Cells[:4]
			}
		}
	}
	return all
}

func newTable(title string, heads ...string) *document.Table {
	return &document.Table{Frame: document.Frame{Gap: 1, Most: shortRows}, Title: document.Say(title),
		Columns: document.Heads(document.Figure, heads...)}
}

// row adds a row of figures and words.
func row(t *document.Table, cells ...any) *document.Row {
	words := make([]string, len(cells))
	for i, c := range cells {
		words[i] = fmt.Sprint(c)
	}
	return t.Say(words...)
}

// keyed says which columns of a table tell its rows apart, and which have names of functions.
func keyed(t *document.Table, keys int, names ...int) *document.Table {
	for i := range keys {
		t.Columns[i].Kind = document.Key
	}
	for _, i := range names {
		t.Columns[i].Kind = document.Prose
	}
	return t
}

func (l *Log) growths() *document.Table {
	t := keyed(newTable("The first growths and shrinks", "goroutine", "event", "from (B)", "to (B)", "in use (B)",
		"function", "caller"), 2, 5, 6)
	if more := l.Grows.N + l.Shrinks.N + l.Moves.N - int64(len(l.Growths)); more > 0 {
		t.Notes = append(t.Notes, document.Say(fmt.Sprintf("%s after these were counted, and not kept one by one",
			units.Thousands(more))))
	}
	sites := map[[2]uint64]Site{}
	for _, s := range l.Sites {
		sites[[2]uint64{s.PC, s.CallerPC}] = s
	}
	for _, e := range l.Growths {
		g, function, caller := fmt.Sprintf("%#x", e.G), document.Text(nil), document.Text(nil)
		if l.Trace {
			g = fmt.Sprint(e.G)
		}
		if e.PC != 0 {
			function, caller = sites[[2]uint64{e.PC, e.CallerPC}].places()
		}
		r := row(t, g, e.Kind, e.From, e.To, e.Used)
		r.Cells = append(r.Cells, function, caller)
	}
	return t
}

func (l *Log) steps() *document.Table {
	t := keyed(newTable("Growths and shrinks by size", "event", "from (B)", "to (B)", "times", "bytes copied",
		"least in use (B)", "most in use (B)"), 1)
	for _, s := range l.Steps {
		row(t, s.Kind, s.From, s.To, s.N, s.Used, s.UsedMin, s.UsedMax)
	}
	return t
}

func (l *Log) sizes() *document.Table {
	t := newTable("Stacks by size", "size (B)", "allocated", "reused", "freed", "cache refills", "cache releases")
	for _, s := range l.Sizes {
		row(t, s.Size, s.Allocs, s.Reused, s.Frees, s.CacheRefills, s.CacheReleases)
	}
	return t
}

func (l *Log) chains() *document.Table {
	t := keyed(newTable("Stack sizes over the life of goroutines", "goroutines", "stack sizes"), 1, 1)
	for _, c := range l.Chains {
		row(t, c.N, c)
	}
	return t
}

// String returns the sizes of a chain with arrows between them.
func (c Chain) String() string {
	var sizes []string
	for _, s := range c.Sizes {
		sizes = append(sizes, units.Bytes(s))
	}
	if c.More {
		sizes = append(sizes, "…")
	}
	return strings.Join(sizes, " → ")
}

func (l *Log) sites() *document.Table {
	t := keyed(newTable("Growths by function", "growths", "bytes copied", "largest stack", "function", "caller"), 1, 3, 4)
	for _, s := range l.Sites {
		function, caller := s.places()
		r := row(t, s.N, s.Used, units.Bytes(s.To))
		r.Cells = append(r.Cells, function, caller)
	}
	return t
}

// places returns the function that grew, and where it was called.
func (s Site) places() (function, caller document.Text) {
	place := func(function, file string, line int, pc uint64) document.Text {
		switch {
		case pc == 0:
			return document.Say("?")
		case function == "":
			return document.Say(fmt.Sprintf("%#x", pc))
		}
		return document.As(document.Given, fmt.Sprintf("%s %s:%d", function, file[strings.LastIndexByte(file, '/')+1:], line))
	}
	return place(s.Func, s.File, s.FuncLine, s.PC), place(s.Caller, s.CallerFile, s.CallerLine, s.CallerPC)
}

// Overview returns a row of a table of several logs: growths, shrinks, the largest stack, bytes
// copied, stacks, those reused, and where most growths were.
func (l *Log) Overview() []document.Text {
	if l == nil {
		return []document.Text{nil, nil, nil, nil, nil, nil, document.Say("not run")}
	}
	copied, most := fmt.Sprint(l.Copied()), document.Text(nil)
	if l.Trace {
		copied = "?"
	}
	if len(l.Sites) > 0 {
		most, _ = l.Sites[0].places()
	}
	r := row(&document.Table{}, l.Grows.N, l.Shrinks.N, units.Bytes(l.Largest), copied, l.Allocs.N, l.Reused)
	return append(r.Cells, most)
}
