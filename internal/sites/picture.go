package sites

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// A treemap is what the page's script of that name reads: the sites of the table as areas.
type treemap struct {
	Table    string    `json:"table"`
	Unit     string    `json:"unit"`
	Head     string    `json:"head"` // what the areas are, where nothing was measured
	More     string    `json:"more,omitempty"`
	Measures []measure `json:"measures"`
	Choice   choice    `json:"choice"`
	Groups   []colour  `json:"groups"`
	Areas    []area    `json:"areas"`
}

// A measure is what the areas may be shares of.
type measure struct {
	Name string `json:"name"`
	Of   string `json:"of"`
}

// A choice is of the benchmarks of which the figures are.
type choice struct {
	Name    string   `json:"name"`
	All     string   `json:"all"`
	Options []string `json:"options"`
}

// A colour is that of a cause.
type colour struct {
	Name  string `json:"name"`
	Color int    `json:"color"`
}

type area struct {
	ID      string          `json:"id"`
	Package string          `json:"package"`
	Name    string          `json:"name"`
	Place   string          `json:"place"`
	Words   string          `json:"words"`
	Color   int             `json:"color"`
	Says    string          `json:"says,omitempty"`
	Parts   []float64       `json:"parts"` // a share for each measure: means over the benchmarks
	Choices map[string]part `json:"choices,omitempty"`
}

// A part is what a site costs in one benchmark.
type part struct {
	Parts []float64         `json:"parts"`
	Cells map[string][2]any `json:"cells"` // by the heads of columns: how a figure is shown, and itself
}

// picture returns the sites as areas, grouped by their causes; nil where there is nothing to draw.
func (b *builder) picture() document.Block {
	all := b.listed()
	if len(all) == 0 {
		return nil
	}
	t := &treemap{Table: "sites", Unit: "site", Measures: []measure{}, Groups: []colour{}, Areas: []area{},
		Choice: choice{Name: b.ran(), All: "each " + b.ran() + ", on average"}}
	title := "Where it is allocated, and why"
	if b.static() {
		title, t.Head = "Allocation sites by cause", "Nothing was run: each site counts as one. Select an area for its details."
	}
	if n := len(all) - rowsMost; n > 0 {
		t.More, all = units.Thousands(n)+" more sites", all[:rowsMost]
	}
	for i := range b.Benchmarks {
		t.Choice.Options = append(t.Choice.Options, b.bench(i))
	}
	if len(b.Benchmarks) == 1 {
		t.Choice.All = b.bench(0)
	}
	colors := b.causes(t, all)
	which := b.measures(t, all)
	if len(which) == 0 && !b.static() {
		return nil
	}
	for _, s := range all {
		t.Areas = append(t.Areas, b.area(s, colors, which))
	}
	return &document.Picture{Frame: document.Frame{ID: "areas", On: document.Page}, Kind: "treemap",
		Says: document.Say(title), Data: t}
}

// colorsMost is how many causes have a colour of their own; the others share one.
const colorsMost = 8

// cured is the cause of a site as the table has it.
func (s *Site) cured() string { return cmp.Or(s.Root().Words, "no known cause") }

// causes gives each cause a colour, those first that make most bytes.
func (b *builder) causes(t *treemap, all []*Site) map[string]int {
	weights, counts := map[string]float64{}, map[string]int{}
	var words []string
	for _, s := range all {
		w := s.cured()
		if counts[w] == 0 {
			words = append(words, w)
		}
		counts[w]++
		weights[w] += b.PartOf(s).Bytes
	}
	slices.SortStableFunc(words, func(x, y string) int {
		return cmp.Or(cmp.Compare(weights[y], weights[x]), cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
	colors := map[string]int{}
	for i, w := range words {
		if colors[w] = min(i, colorsMost); i < colorsMost {
			t.Groups = append(t.Groups, colour{w, i})
		}
	}
	if len(words) > colorsMost {
		t.Groups = append(t.Groups, colour{"other causes", colorsMost})
	}
	return colors
}

// measures says what the areas can be: what some site has a share of.
func (b *builder) measures(t *treemap, all []*Site) (which []int) {
	for i, m := range []measure{{"bytes", "of the bytes"}, {"objects", "of the objects"}, {"share of CPU", "of the CPU time"}} {
		if !b.static() && slices.ContainsFunc(all, func(s *Site) bool { return b.PartOf(s).of(i) > 0 }) {
			which, t.Measures = append(which, i), append(t.Measures, m)
		}
	}
	return which
}

// of returns the part in a measure.
func (p Part) of(measure int) float64 { return [3]float64{p.Bytes, p.Objects, p.CPU}[measure] }

// chosen returns the parts in the measures that are drawn.
func (p Part) chosen(which []int) []float64 {
	out := []float64{}
	for _, i := range which {
		out = append(out, drawable(p.of(i)))
	}
	return out
}

// drawable leaves out what cannot be drawn, and what JSON cannot say. Five digits draw and sort as
// well as all do.
func drawable(x float64) float64 {
	if !finite(x) || x < 0 {
		return 0
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	return x
}

func (b *builder) area(s *Site, colors map[string]int, which []int) area {
	a := area{ID: siteID(s), Package: s.Package, Name: b.name(s), Place: s.Position(), Words: s.cured(),
		Color: colors[s.cured()]}
	if b.static() {
		a.Parts = []float64{1}
		return a
	}
	a.Parts = b.PartOf(s).chosen(which)
	f, per := s.figures(), b.per()
	if len(s.Costs) > 0 {
		a.Says = fmt.Sprintf("%s objects%s, %s%s", f[0], per, f[1], per)
	}
	if len(b.Benchmarks) < 2 {
		return a
	}
	a.Choices = map[string]part{}
	for _, c := range s.Costs {
		if c.Benchmark < 0 || c.Benchmark >= len(b.Benchmarks) {
			continue
		}
		share := 0.0
		if c.Share.Measured() {
			share = c.Share.Value
		}
		of := &b.Benchmarks[c.Benchmark]
		f := c.figures()
		a.Choices[strconv.Itoa(c.Benchmark)] = part{
			Parts: Part{c.Bytes / max(of.Bytes, c.Bytes, 1e-9), c.Objects / max(of.Objects, c.Objects, 1e-9), share}.chosen(which),
			Cells: map[string][2]any{"objects" + per: {f[0].String(), drawable(c.Objects)},
				"B" + per: {f[1].String(), drawable(c.Bytes)}, "share of CPU": {f[2].String(), drawable(share)}}}
	}
	return a
}
