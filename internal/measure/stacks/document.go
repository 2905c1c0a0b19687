package stacks

import (
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// Document returns what was found of the runs: a table of all, if there are several, then each.
func Document(runs []*Run) *document.Document {
	d := &document.Document{Title: "Stack growth"}
	if len(runs) > 1 {
		d.Add(Overview(runs).Blocks...)
	}
	for _, r := range runs {
		d.Add(r.blocks())
	}
	return d
}

// Overview returns a table of the runs, a row each.
func Overview(runs []*Run) *document.Document {
	t := &document.Table{Title: document.Say("All programs"), Columns: document.Heads(document.Figure, "program", "growths",
		"shrinks", "largest stack", "bytes copied", "stacks", "reused", "most growths in")}
	t.Columns[0].Kind, t.Columns[7].Kind = document.Name, document.Prose
	for _, r := range runs {
		t.Add(append([]document.Text{document.As(document.Given, r.Title())}, r.Log.Overview()...)...)
	}
	return &document.Document{Blocks: []document.Block{t}}
}

func (r *Run) blocks() document.Block {
	g := &document.Group{Frame: document.Frame{Gap: 1}, Level: 2,
		Head: document.As(document.Given, r.Title()).Said(": ").And(document.As(document.Given, r.Ended))}
	facts := &document.Facts{Frame: document.Frame{On: document.Markdown | document.Page}}
	for _, f := range r.Facts() {
		facts.Add(f[0], document.Span{Kind: document.Given, Text: f[1]})
	}
	g.Add(facts)
	say := func(label, words string, on document.Targets) {
		g.Add(&document.Sentence{Frame: document.Frame{On: on, Class: "warning"}, Hang: 2,
			Text: document.As(document.Warning, label).And(document.As(document.Given, words))})
	}
	for _, n := range r.Notes {
		say("note: ", n, 0)
	}
	for _, err := range r.Failed { // on a terminal it is the error of the command
		say("failed: ", err.Error(), document.Markdown|document.Page)
	}
	if r.Log == nil {
		return g
	}
	g.Add(r.Log.Blocks()...)
	if len(r.Check) > 0 {
		g.Add(r.check())
	}
	return g
}

// check is the table of the log beside the trace.
func (r *Run) check() document.Block {
	t := &document.Table{Frame: document.Frame{Gap: 1},
		Columns: document.Heads(document.Figure, "while the trace was on", "stack log", "trace", "difference")}
	for _, d := range r.Check {
		t.Say(d.Figure, strconv.FormatInt(d.Log, 10), strconv.FormatInt(d.Trace, 10), units.Percent(d.Off()))
	}
	if r.Agrees {
		t.Notes = []document.Text{document.Say("The log and the trace agree within ", units.Share(Agreement),
			", except for a few stacks at the ends of the trace.")}
	}
	return t
}
