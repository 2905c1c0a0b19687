package whypage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/show/whytext"
	"memcost/internal/sites"
)

// A picture is what the page's scripts read: the sites of the table, and what they cost in each
// benchmark.
type picture struct {
	Benches []string      `json:"benches"`
	Ran     string        `json:"ran"` // "benchmark"
	Per     string        `json:"per"`
	Static  bool          `json:"static"`
	More    string        `json:"more"` // what has no room here
	Sites   []pictureSite `json:"sites"`
}

type pictureSite struct {
	Anchor  string        `json:"id"`
	Package string        `json:"package"`
	Name    string        `json:"name"`
	Key     string        `json:"cause"`
	Words   string        `json:"words"`
	Color   int           `json:"color"`
	Class   string        `json:"class"`
	Part    [3]float64    `json:"part"` // bytes, objects, CPU time: means over the benchmarks
	Sort    [2]float64    `json:"sort"` // price and gain in seconds
	Costs   []pictureCost `json:"costs"`
}

type pictureCost struct {
	Bench int        `json:"bench"`
	Part  [3]float64 `json:"part"`  // of that benchmark's bytes, objects, CPU time
	Value [3]float64 `json:"value"` // objects, bytes, share of the CPU time
	Cells [3]string  `json:"shown"` // the same as they are shown
}

// sites fills in the tables of sites. It returns the ones whose details are wanted, and what the
// scripts read.
func (m *maker) sites(v *view) ([]*sites.Site, picture) {
	p := picture{Benches: append([]string{}, v.Choices...), Ran: v.Ran, Per: v.Per, Static: v.Static,
		Sites: []pictureSite{}}
	colors := m.causes(v)
	more := 0
	var shown []*sites.Site
	for i := range m.r.Sites {
		s := &m.r.Sites[i]
		row := m.row(i, s, colors)
		switch {
		case s.Rank == 0 && !v.Static && len(v.Never) == neverMost:
			v.NeverMore++
		case s.Rank == 0 && !v.Static:
			v.Never = append(v.Never, row)
		case len(v.Rows) == rowsMost:
			more++
		default:
			v.Rows = append(v.Rows, row)
			v.Priced = v.Priced || row.Price != "" || row.Gain != ""
			shown = append(shown, s)
			p.Sites = append(p.Sites, m.drawn(s, &row))
			if !slices.Contains(v.Classes, row.Class) {
				v.Classes = append(v.Classes, row.Class)
			}
		}
		if s.Says != "" && (s.Class == sites.RuntimeOnly || s.Would == sites.RuntimeOnly) && len(s.Calls) > 0 {
			v.Against = append(v.Against, row)
		}
	}
	if more > 0 {
		v.RowsMore = units.Thousands(more) + " more sites"
		p.More = v.RowsMore
	}
	m.measures(v, &p)
	return shown, p
}

// row returns a site as the tables have it.
func (m *maker) row(i int, s *sites.Site, colors map[string]int) row {
	key := causeOf(s).Key
	r := row{Anchor: "site-" + strconv.Itoa(i), Name: m.cells.Name(s), Place: place(s.File, s.Line), Text: s.Text,
		Class: m.cells.Class(s), Cause: m.cells.Cause(s), Fix: m.cells.Fix(s), Says: s.Says, Named: s.Named, Key: key,
		Color: colors[key]}
	if s.Rank > 0 {
		r.Rank = strconv.Itoa(s.Rank)
	}
	if len(s.Costs) > 0 {
		r.Objects, r.Bytes, r.CPU = m.cells.Figures(s.Costs[0])
		if len(m.r.Benchmarks) > 1 {
			r.In = "in " + m.cells.Bench(s.Costs[0].Benchmark)
			if more := len(s.Costs) - 1; more > 0 {
				r.In += fmt.Sprintf(" and %d more", more)
			}
		}
	}
	if s.Price != nil && m.cells.Measured(*s.Price) {
		r.Price = m.cells.Seconds(*s.Price)
	}
	if s.Gain != nil && m.cells.Measured(s.Gain.Seconds) {
		r.Gain = "≈ " + m.cells.Seconds(s.Gain.Seconds)
	}
	return r
}

// drawn returns a site as the scripts have it.
func (m *maker) drawn(s *sites.Site, r *row) pictureSite {
	part := m.r.PartOf(s)
	out := pictureSite{Anchor: r.Anchor, Package: s.Package, Name: r.Name, Key: r.Key, Words: causeOf(s).Words,
		Color: r.Color, Class: r.Class, Part: m.finite(part.Bytes, part.Objects, part.CPU), Costs: []pictureCost{}}
	if s.Price != nil && m.cells.Measured(*s.Price) {
		out.Sort[0] = s.Price.Value
	}
	if s.Gain != nil && m.cells.Measured(s.Gain.Seconds) {
		out.Sort[1] = s.Gain.Seconds.Value
	}
	for _, c := range s.Costs {
		if c.Benchmark < 0 || c.Benchmark >= len(m.r.Benchmarks) {
			continue
		}
		b := &m.r.Benchmarks[c.Benchmark]
		share := 0.0
		if m.cells.Measured(c.Share) {
			share = c.Share.Value
		}
		x := pictureCost{Bench: c.Benchmark, Value: m.finite(c.Objects, c.Bytes, share),
			Part: m.finite(ratio(c.Bytes, b.Bytes), ratio(c.Objects, b.Objects), share)}
		x.Cells[0], x.Cells[1], x.Cells[2] = m.cells.Figures(c)
		out.Costs = append(out.Costs, x)
	}
	return out
}

// finite leaves out what cannot be drawn, and what JSON cannot say. Five digits draw and sort
// as well as all do.
func (m *maker) finite(xs ...float64) (out [3]float64) {
	for i, x := range xs {
		if whytext.Finite(x) {
			out[i], _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
		}
	}
	return out
}

func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// colorsMost is how many causes have a colour of their own; the others share one.
const colorsMost = 8

// causes lists the causes of the sites, those that make most bytes first, and returns their
// colours.
func (m *maker) causes(v *view) map[string]int {
	weights := map[string]float64{}
	byKey := map[string]*cause{}
	var keys []string
	for i := range m.r.Sites {
		s := &m.r.Sites[i]
		if s.Rank == 0 && !v.Static {
			continue
		}
		c := causeOf(s)
		if byKey[c.Key] == nil {
			words := c.Words
			if c.Key == "" {
				words = "no known cause"
			}
			byKey[c.Key] = &cause{Key: c.Key, Words: words}
			keys = append(keys, c.Key)
		}
		byKey[c.Key].Sites++
		weights[c.Key] += m.r.PartOf(s).Bytes
	}
	slices.SortStableFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(byKey[b].Sites, byKey[a].Sites),
			cmp.Compare(a, b))
	})
	colors := map[string]int{}
	for _, k := range keys {
		c := byKey[k]
		if c.Color = colorsMost; k != "" && len(colors) < colorsMost {
			c.Color = len(colors)
			colors[k] = c.Color
		}
		switch {
		case c.Color == colorsMost && k == "" && v.Others == "":
			v.Others = "no known cause"
		case c.Color == colorsMost:
			v.Others = "other causes, or none that is known"
		}
		v.Causes = append(v.Causes, *c)
	}
	for _, k := range keys {
		if _, ok := colors[k]; !ok {
			colors[k] = colorsMost
		}
	}
	return colors
}

// measures says what the areas of the picture can be, and what the picture shows.
func (m *maker) measures(v *view, p *picture) {
	if v.Static {
		if len(p.Sites) > 0 {
			v.Picture = "Allocation sites by cause"
		}
		return
	}
	all := []measure{{"bytes", "bytes"}, {"objects", "objects"}, {"cpu", "share of CPU"}}
	for i, x := range all {
		if slices.ContainsFunc(p.Sites, func(s pictureSite) bool { return s.Part[i] > 0 }) {
			v.Measures = append(v.Measures, x)
		}
	}
	if len(v.Measures) > 0 {
		v.Picture = "Where it is allocated, and why"
	}
}

// causeOf returns the cause of a site, or of what allocates on its behalf.
func causeOf(s *sites.Site) sites.Cause {
	if s.Cause.Key == "" && s.Callee != nil {
		return s.Callee.Cause
	}
	return s.Cause
}

// place returns a position as the tables have it.
func place(file string, line int) string { return file + ":" + strconv.Itoa(line) }
