package diffpage

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/sites/diff"
)

// picture returns how a benchmark changed, by site, in bytes and in objects.
func (m *maker) picture(i int, rows []row) picture {
	b := m.d.Benchmarks[i]
	out := picture{Bench: m.bench(i), Name: fmt.Sprintf("%sm%d", m.prefix, i)}
	effects, rest := m.d.Effects(i)
	for _, x := range []struct {
		key, name, unit string
		whole           diff.Pair
		of              func(diff.Effect) float64
	}{
		{"bytes", "bytes", "B/op", b.Bytes, func(e diff.Effect) float64 { return e.Bytes }},
		{"objects", "objects", "allocs/op", b.Objects, func(e diff.Effect) float64 { return e.Objects }},
	} {
		bars := m.bars(effects, rows, x.of)
		if len(bars) == 0 || !x.whole.Changed {
			continue
		}
		if r := x.of(rest); r != 0 {
			bars = append(bars, drawn{bar{Name: "not at a site that changed", Kind: "rest"}, r})
		}
		bars = append(bars, drawn{bar{Name: "all together", Kind: "sum"}, x.whole.Delta()})
		out.Measures = append(out.Measures, measure{x.key, x.name, fmt.Sprintf("%s per operation of %s: %s → %s",
			x.name, out.Bench, units.Quantity(x.whole.Old, x.unit), units.Quantity(x.whole.New, x.unit)),
			scaled(bars, x.unit)})
	}
	return out
}

// A drawn is a bar and the change that it shows.
type drawn struct {
	bar
	delta float64
}

// bars returns the sites with the largest changes, and the others as one.
func (m *maker) bars(effects []diff.Effect, rows []row, of func(diff.Effect) float64) (out []drawn) {
	effects = slices.DeleteFunc(slices.Clone(effects), func(e diff.Effect) bool { return of(e) == 0 })
	slices.SortStableFunc(effects, func(a, b diff.Effect) int {
		return -compareAbs(of(a), of(b))
	})
	others, sum := 0, 0.0
	for _, e := range effects {
		if len(out) == barsMost && len(effects) > barsMost+1 {
			others, sum = others+1, sum+of(e)
			continue
		}
		c := m.d.Sites[e.Site]
		p := c.Place()
		b := bar{Name: p.Function, Place: place(p), Kind: kindOf(c), Words: kindWords[kindOf(c)]}
		if at := m.prefix + "site-" + strconv.Itoa(e.Site); slices.ContainsFunc(rows, func(r row) bool {
			return r.Anchor == at
		}) {
			b.Anchor = at
		}
		out = append(out, drawn{b, of(e)})
	}
	if others > 0 {
		out = append(out, drawn{bar{Name: units.Thousands(others) + " further sites", Kind: "rest"}, sum})
	}
	return out
}

func compareAbs(a, b float64) int {
	switch a, b = math.Abs(a), math.Abs(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// scaled sets where the bars begin and how wide they are. All begin at the same zero.
func scaled(all []drawn, unit string) []bar {
	lo, hi := 0.0, 0.0
	for _, x := range all {
		lo, hi = min(lo, x.delta), max(hi, x.delta)
	}
	percent := func(v float64) string { return strconv.FormatFloat(100*v/max(hi-lo, 1e-12), 'f', 2, 64) }
	var out []bar
	for _, x := range all {
		x.Start, x.Width = percent(min(x.delta, 0)-lo), percent(math.Abs(x.delta))
		x.Figure = signed(x.delta, unit)
		out = append(out, x.bar)
	}
	return out
}
