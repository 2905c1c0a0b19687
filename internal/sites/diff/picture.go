package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// bars is what the page's script of that name reads: how a benchmark changed, by site.
type bars struct {
	Measures []measure `json:"measures"`
}

// A measure is what the bars are of.
type measure struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Bars  []bar  `json:"bars"`
}

// A bar is the change that a site makes.
type bar struct {
	Name   string  `json:"name"`
	To     string  `json:"to,omitempty"` // of the site's row
	Place  string  `json:"place,omitempty"`
	Kind   string  `json:"kind"`
	Words  string  `json:"words,omitempty"`
	Figure string  `json:"figure"`
	Value  float64 `json:"value"`
}

// pictures draws the benchmarks that changed, the one first that changed most; further ones are
// folded in.
func (b *builder) pictures() []document.Block {
	ratio := func(x Pair) float64 { return math.Abs(x.Delta()) / max(x.Old, x.New, 1e-9) }
	var which []int
	for i, x := range b.Benchmarks {
		if x.Only == "" && (x.Objects.Changed || x.Bytes.Changed) {
			which = append(which, i)
		}
	}
	slices.SortStableFunc(which, func(i, j int) int {
		x, y := b.Benchmarks[i], b.Benchmarks[j]
		return cmp.Or(cmp.Compare(ratio(y.Objects), ratio(x.Objects)), cmp.Compare(ratio(y.Bytes), ratio(x.Bytes)))
	})
	var out []document.Block
	further := &document.Fold{Frame: document.Frame{On: document.Page}}
	for _, i := range which {
		p := b.picture(i)
		switch {
		case p == nil:
		case len(out) == 0:
			out = append(out, p)
		case len(further.Blocks) == drawnMost-1:
			further.Add(&document.Sentence{Frame: document.Frame{Class: "legend"}, Text: document.Say(fmt.Sprintf(
				"Only the %d benchmarks that changed most are drawn.", drawnMost))})
		case len(further.Blocks) < drawnMost:
			further.Add(p)
		}
	}
	if n := len(further.Blocks); n > 0 {
		further.Head = document.Say("Other benchmarks that changed")
		out = append(out, further)
	}
	return out
}

// picture returns how a benchmark changed, by site, in bytes and in objects; nil where no site says
// how.
func (b *builder) picture(i int) document.Block {
	data := bars{b.measures(i)}
	if len(data.Measures) == 0 {
		return nil
	}
	t := &document.Table{Columns: []document.Column{{Head: "site", Kind: document.Name}, {Head: "what", Kind: document.Words},
		{Head: "change"}}}
	for _, m := range data.Measures {
		for _, x := range m.Bars {
			t.Add(given(x.Name+" "+x.Place), document.Say(x.Words), document.Text{{Kind: document.Number,
				Text: x.Figure + " " + m.Name, Value: x.Value}})
		}
	}
	return &document.Picture{Frame: document.Frame{ID: fmt.Sprintf("%s-bars-%d", b.prefix, i), On: document.Page}, Kind: "bars",
		Says: document.Say("How the sites changed ").And(given(b.bench(i))), Data: data, Table: t}
}

// measures returns the changes of a benchmark: those of its sites, what they do not explain, and the
// whole.
func (b *builder) measures(i int) (out []measure) {
	x := b.Benchmarks[i]
	effects, rest := b.effects(i)
	for _, m := range []struct {
		name, unit string
		whole      Pair
		of         func(Effect) float64
	}{
		{"bytes", "B/op", x.Bytes, func(e Effect) float64 { return e.Bytes }},
		{"objects", "allocs/op", x.Objects, func(e Effect) float64 { return e.Objects }},
	} {
		all := b.bars(effects, m.of)
		if len(all) == 0 || !m.whole.Changed {
			continue
		}
		if r := m.of(rest); r != 0 {
			all = append(all, bar{Name: "not at a site that changed", Kind: "rest", Value: r})
		}
		all = append(all, bar{Name: "all together", Kind: "sum", Value: m.whole.Delta()})
		for i, y := range all {
			all[i].Figure = signed(y.Value, units.Quantity(math.Abs(y.Value), m.unit))
		}
		out = append(out, measure{m.name, fmt.Sprintf("%s per operation of %s: %s → %s", m.name, b.bench(i),
			units.Quantity(m.whole.Old, m.unit), units.Quantity(m.whole.New, m.unit)), all})
	}
	return out
}

// bars returns the sites with the largest changes, and the others as one.
func (b *builder) bars(effects []Effect, of func(Effect) float64) (out []bar) {
	effects = slices.DeleteFunc(slices.Clone(effects), func(e Effect) bool { return of(e) == 0 })
	slices.SortStableFunc(effects, func(x, y Effect) int { return cmp.Compare(math.Abs(of(y)), math.Abs(of(x))) })
	others, sum := 0, 0.0
	for _, e := range effects {
		if len(out) == barsMost && len(effects) > barsMost+1 {
			others, sum = others+1, sum+of(e)
			continue
		}
		c := b.Sites[e.Site]
		p := c.Place()
		out = append(out, bar{Name: p.Function, Place: p.position(), Kind: c.class(), Words: c.what().Text, Value: of(e),
			To: "#" + b.siteID(e.Site)})
	}
	if others > 0 {
		out = append(out, bar{Name: units.Thousands(others) + " further sites", Kind: "rest", Value: sum})
	}
	return out
}

// class names what became of a site for the page's style.
func (c Change) class() string {
	if c.Kind != Changed {
		return string(c.Kind)
	}
	return map[int]string{1: "more", -1: "less", 0: "mixed"}[c.Direction()]
}

// An Effect is the part of a site in what became of a benchmark.
type Effect struct {
	Site int // index into Diff.Sites
	// What an operation allocates there now, less what it did; 0 where counting can explain it.
	Objects, Bytes float64
}

// effects returns the sites by which a benchmark of both sides changed, the largest effect first,
// and what of its change they do not explain: what the runtime and the testing package allocate,
// and many small changes that are none each. The rest is 0 where counting can explain it.
func (d *Diff) effects(benchmark int) (effects []Effect, rest Effect) {
	b := d.Benchmarks[benchmark]
	if b.Only != "" {
		return nil, rest
	}
	sum := Effect{}
	for i, c := range d.Sites {
		for _, x := range c.Costs {
			if x.Benchmark != benchmark || !x.Objects.Changed && !x.Bytes.Changed {
				continue
			}
			e := Effect{i, changed(x.Objects), changed(x.Bytes)}
			sum.Objects, sum.Bytes = sum.Objects+e.Objects, sum.Bytes+e.Bytes
			effects = append(effects, e)
		}
	}
	slices.SortStableFunc(effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Bytes), math.Abs(a.Bytes)),
			cmp.Compare(math.Abs(b.Objects), math.Abs(a.Objects)))
	})
	rest.Objects, rest.Bytes = beyond(b.Objects, sum.Objects), beyond(b.Bytes, sum.Bytes)
	return effects, rest
}

func changed(p Pair) float64 {
	if p.Changed {
		return p.Delta()
	}
	return 0
}

// beyond returns what a sum of changes leaves of a change; 0 if it is no more than what two
// counts of the same code differ by.
func beyond(p Pair, sum float64) float64 {
	t := newTolerance()
	if left := p.Delta() - sum; math.Abs(left) > t.objects+t.share*max(p.Old, p.New) {
		return left
	}
	return 0
}
