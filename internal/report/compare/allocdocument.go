package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/measure/plan"
)

const (
	// mostAllocators is how many allocators a table shows where not all is asked for.
	mostAllocators = 11
	// longestAllocator is the most columns that the name of an allocator takes.
	longestAllocator = 24
	longestAlike     = 40 // of several with one beginning
	longestCommand   = 60
)

// Document returns what a run of memcost alloc found: the answer, a table of time and memory, one
// of the events, and what is to be known beside the figures, the most important first.
func (r *AllocReport) Document() *document.Document {
	d := &document.Document{}
	subject := r.subject()
	own := *subject
	own.On = document.Terminal | document.Page
	d.Add(&document.Sentence{Frame: document.Frame{On: document.Terminal}, Text: document.As(document.Strong, r.Says), Hang: 2},
		&own, &document.Group{Frame: document.Frame{On: document.Markdown}, Level: 1, Head: document.As(document.Given, r.Says),
			Blocks: []document.Block{subject}}, r.table(), r.events(), r.asides())
	d.Add(&document.Sentence{Frame: document.Frame{On: document.Terminal | document.Page},
		Text: document.Say("run folder: ").And(document.As(document.Given, r.Dir))})
	return d
}

// subject says what the figures are of.
func (r *AllocReport) subject() *document.Sentence {
	say := document.As(document.Given, units.Shortened(r.Command, longestCommand)).Said(": ratios to ").And(document.As(
		document.Given, r.Own)).Said(fmt.Sprintf(", which is its own allocator, with 95%% confidence intervals; the margin "+
		"is %s, and each of %s has a fresh process for each.", units.Share(r.Margin), units.Plural(r.Rounds, "round")))
	if r.Until != "" {
		say = say.Said(" The server's CPU time and memory, while it serves: ").And(document.As(document.Given,
			units.Shortened(r.Until, longestCommand)))
	}
	return &document.Sentence{Text: say, Hang: 2}
}

// names are those of the allocators as a table has room for.
func (r *AllocReport) names() []string {
	var full []string
	for _, x := range r.Allocators {
		full = append(full, x.Name)
	}
	return ShortNames(full)
}

// ShortNames returns the names of configurations as a table has room for: of several with one beginning, the allocator
// and where they begin to differ.
func ShortNames(full []string) []string {
	var out []string
	short := map[string][]string{} // the names that are cut to one
	for _, name := range full {
		s := units.Shortened(name, longestAllocator)
		short[s] = append(short[s], name)
	}
	for _, name := range full {
		s := units.Shortened(name, longestAllocator)
		if alike := short[s]; len(alike) > 1 {
			first, _, _ := strings.Cut(name, " ")
			shared := name[:sharedBeginning(alike)]
			rest := name[strings.LastIndexAny(shared, " ,=")+1:]
			if !strings.Contains(rest, ":") { // a value without what it is of says nothing
				rest = name[strings.LastIndexAny(shared, " ,")+1:]
			}
			s = units.Shortened(first+" …"+rest, longestAlike)
		}
		if slices.Contains(out, s) {
			return full
		}
		out = append(out, s)
	}
	return out
}

// sharedBeginning returns how many bytes the beginning has that all names share.
func sharedBeginning(names []string) int {
	n := len(names[0])
	for _, x := range names[1:] {
		n = min(n, len(x))
		for i := range n {
			if x[i] != names[0][i] {
				n = i
				break
			}
		}
	}
	return n
}

func (r *AllocReport) newTable(heads ...string) *document.Table {
	return &document.Table{Frame: document.Frame{Gap: 2, Most: mostAllocators}, Columns: append([]document.Column{
		{Head: "allocator", Kind: document.Name}}, document.Heads(document.Figure, heads...)...)}
}

// table is of time and memory, with the verdicts.
func (r *AllocReport) table() *document.Table {
	wall := "wall time"
	if r.Until != "" {
		wall = "time of the load"
	}
	t := r.newTable("CPU time", wall, "peak RSS", "verdict")
	t.Columns[4].Kind = document.Prose
	names := r.names()
	for i, x := range r.Allocators {
		v := document.NoVerdict
		switch {
		case x.Invalid != "":
			v = document.Invalid
		case i > 0 && x.CPU.Verdict != "":
			v = x.CPU.Verdict.Verdict(x.CPU.More())
		}
		t.Add(document.As(document.Given, names[i]), x.CPU.text(i == 0), x.Wall.text(i == 0), x.Memory.text(i == 0),
			document.Text{{Verdict: v, Text: x.Says}})
	}
	return t
}

// events is a table that gives way first.
func (r *AllocReport) events() *document.Fold {
	t := r.newTable("minor faults", "major faults", "vol. switches", "invol. switches")
	t.Gap, t.Rank, t.Good = 0, 9, -1
	names := r.names()
	for i, x := range r.Allocators {
		t.Add(document.As(document.Given, names[i]), x.Minor.count(i == 0), x.Major.count(i == 0), x.Own.count(i == 0),
			x.Forced.count(i == 0))
	}
	return &document.Fold{Frame: document.Frame{Gap: 2}, Head: document.Say("Page faults and context switches"), Open: true,
		Blocks: []document.Block{t}}
}

// text returns a figure of the baseline, and a ratio with its interval of any other.
func (f Figure) text(baseline bool) document.Text {
	switch {
	case baseline && f.Value.Known():
		return f.Value.Text()
	case !baseline && f.Ratio.Known():
		return f.Ratio.TimesText()
	}
	return document.Say(units.None)
}

// count is text for a count: where that of the baseline is 0 the count itself.
func (f Figure) count(baseline bool) document.Text {
	ratio := float64(f.Ratio.Value)
	switch {
	case !f.Value.Known():
		return document.Say(units.None)
	case baseline || f.Ratio.Note != "" || !f.Ratio.Known() || f.Value.Value == 0 || math.IsInf(ratio, 0):
		return document.As(document.Number, units.Digits(float64(f.Value.Value)))
	}
	return f.Ratio.TimesText()
}

// asides are what is to be known beside the figures.
func (r *AllocReport) asides() document.Block {
	g := &document.Group{Frame: document.Frame{Gap: 1, Rank: 8, Good: 2, Least: 1}}
	for _, x := range r.Allocators {
		if x.Invalid != "" {
			g.Add(aside(document.Text{document.Invalid.Says("INVALID: ")}, x.Name+": "+x.Invalid))
		}
	}
	for _, s := range plan.NotMeasuredSays(r.NotMeasured) {
		g.Add(aside(document.Say("not measured: "), s))
	}
	for _, s := range r.Notes {
		g.Add(aside(document.Say("note: "), s))
	}
	for i, n := range r.NoiseFloor {
		s := aside(document.Say("noise floor: two copies of the same configuration: ").And(n.Ratio.TimesText()).Said(", ",
			units.Percent(float64(n.Spread)), " apart in the median round"), "")
		s.Long = i > 0
		g.Add(s)
	}
	for _, s := range r.Warnings {
		g.Add(aside(document.As(document.Warning, "warning: "), s))
	}
	if r.undecided() {
		g.Add(aside(document.Say("what is undecided more rounds may decide: ").And(document.As(document.Code,
			"memcost alloc --resume "+r.Dir+" --budget 5m")), ""))
	}
	return g
}

// aside is an item: words of ours, and what others wrote.
func aside(label document.Text, given string) *document.Sentence {
	return &document.Sentence{Item: true, Text: label.And(document.As(document.Given, given))}
}

func (r *AllocReport) undecided() bool {
	for i, x := range r.Allocators {
		if i > 0 && strings.Contains(x.Says, undecided) {
			return true
		}
	}
	return false
}
