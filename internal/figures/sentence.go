package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/series"
	"memcost/internal/units"
)

// Sentence returns the answer that a picture gives, by the data sets that were
// measured and not published; by those if there are no others.
func (p *Picture) Sentence() string {
	sets := slices.DeleteFunc(slices.Clone(p.Sets), func(s PictureSet) bool { return s.Published })
	if len(sets) == 0 {
		sets = p.Sets
	}
	var say []string
	for c, name := range p.Columns {
		if c == p.Roofline {
			continue
		}
		if s := p.column(c, name, sets); s != "" {
			say = append(say, s)
		}
	}
	const most = 3
	if len(say) > most {
		say = append(say[:most], fmt.Sprintf("and %d more", len(p.Columns)-most))
	}
	if len(say) == 0 {
		return p.Title + ": not measured"
	}
	switch p.Kind {
	case catalog.Steps:
		return p.Title + ": " + strings.Join(say, " · ")
	case catalog.Curve, catalog.Dots:
		return p.Title + ": " + strings.Join(say, ", ")
	}
	return strings.Join(say, "; ")
}

// A point is a figure and where it stands.
type point struct {
	label string
	Figure
}

func (p *Picture) points(column int, sets []PictureSet) []point {
	var out []point
	for _, s := range sets {
		for _, r := range s.Rows {
			if f := r.Cells[column]; !math.IsNaN(float64(f.Value)) {
				out = append(out, point{r.Label, f})
			}
		}
	}
	return out
}

func (p *Picture) column(c int, name string, sets []PictureSet) string {
	ps := p.points(c, sets)
	if len(ps) == 0 {
		return ""
	}
	if p.Kind == catalog.Forest {
		return p.ratioSentence(c, ps, sets)
	}
	if p.Kind == catalog.Steps {
		var arms, texts []string
		for _, x := range ps {
			arms, texts = append(arms, x.label), append(texts, x.Quantity())
		}
		return name + " " + History(Spans(arms, texts))
	}
	lo, hi := p.span(ps)
	of := name + " "
	if len(p.Columns) == 1 && p.Kind == catalog.Dots {
		of = ""
	}
	switch {
	case len(ps) == 1:
		return of + lo.Quantity() + p.at(lo)
	case p.Kind == catalog.Dots && len(ps) <= 4 && len(sets) == 1:
		var all []string
		for _, x := range ps {
			all = append(all, fmt.Sprintf("%s %s", Label(p.By, x.label), x.Quantity()))
		}
		return of + strings.Join(all, ", ")
	}
	return of + lo.Quantity() + p.at(lo) + " to " + hi.Quantity() + p.at(hi)
}

func (p *Picture) at(x point) string { return " (" + Label(p.By, x.label) + ")" }

func extremes(ps []point) (lo, hi point) {
	lo, hi = ps[0], ps[0]
	for _, x := range ps[1:] {
		if x.Value < lo.Value {
			lo = x
		}
		if x.Value > hi.Value {
			hi = x
		}
	}
	return lo, hi
}

// span returns the least and the most; of a curve both ends, unless there is but one value
// of the key, in several rows.
func (p *Picture) span(ps []point) (from, to point) {
	if p.Kind == catalog.Curve {
		if first, last := p.ends(ps); CompareLabels(first.label, last.label) != 0 {
			return first, last
		}
	}
	return extremes(ps)
}

// ends returns the figures at the smallest and at the largest value of the key.
func (p *Picture) ends(ps []point) (first, last point) {
	first, last = ps[0], ps[0]
	for _, x := range ps[1:] {
		if CompareLabels(x.label, first.label) < 0 {
			first = x
		}
		if CompareLabels(x.label, last.label) > 0 {
			last = x
		}
	}
	return first, last
}

// ratioSentence says how many times the cost of its baseline something costs, and where which
// of the two costs more.
func (p *Picture) ratioSentence(c int, ps []point, sets []PictureSet) string {
	lo, hi := extremes(ps)
	span := units.Digits(float64(lo.Value))
	if len(ps) > 1 && span != units.Digits(float64(hi.Value)) {
		span += " to " + units.Digits(float64(hi.Value))
	}
	if c < len(p.Sides) && p.Sides[c].Unit == series.UnitCPU { // it stands behind the ratio of times
		return "in CPU time " + span + " times"
	}
	say, dearer := p.Columns[c]+": "+span, map[string]string{more: "above 1", less: "below 1", undecided: undecided}
	if c < len(p.Sides) {
		s := p.Sides[c]
		say, dearer[more], dearer[less] = s.Sentence(span, ""), s.larger(s.Num), s.larger(s.Den)
	}
	if len(sets) > 1 {
		what := "configurations"
		if sets[0].Published {
			what = "published machines"
		}
		return say + fmt.Sprintf(" (%d %s)", len(sets), what)
	}
	if p.Busy && !sets[0].Published {
		return say + " " + Beside
	}
	return say + p.direction(ps, dearer)
}

// What an interval says of a ratio: it lies above 1, below 1, or around it.
const (
	more      = "more"
	less      = "less"
	undecided = "undecided"
)

// side returns what the interval of a ratio says; of a single figure, what that says.
func side(f Figure) string {
	lo, hi := float64(f.Lo), float64(f.Hi)
	switch v := float64(f.Value); {
	case lo > 1 || math.IsNaN(lo) && v > 1:
		return more
	case hi < 1 || math.IsNaN(hi) && v < 1:
		return less
	}
	return undecided
}

// valuesOf returns what several values of a key are called: a key is whatever the author of a
// benchmark called it, and need not be a word.
func valuesOf(key string) string {
	switch key {
	case "size", "cause", "case":
		return key + "s"
	}
	return "values of " + key
}

// direction says where which side of a ratio is the larger: ": heap costs more at all 11
// sizes", ": heap costs more up to 64 KiB, stack costs more from 256 KiB". Words has the
// words for more, less and undecided.
func (p *Picture) direction(ps []point, words map[string]string) string {
	ps = slices.Clone(ps)
	slices.SortStableFunc(ps, func(a, b point) int { return CompareLabels(a.label, b.label) })
	type stretch struct {
		side     string
		from, to int
	}
	var runs []stretch
	count := map[string]int{}
	for i, x := range ps {
		s := words[side(x.Figure)]
		count[s]++
		if n := len(runs); n > 0 && runs[n-1].side == s {
			runs[n-1].to = i
		} else {
			runs = append(runs, stretch{s, i, i})
		}
	}
	name := func(i int) string { return Label(p.By, ps[i].label) }
	switch {
	case len(ps) == 1 && runs[0].side == undecided:
		return ": undecided"
	case len(ps) == 1:
		return ""
	case len(runs) == 1:
		return fmt.Sprintf(": %s at all %d %s", runs[0].side, len(ps), valuesOf(p.By))
	case len(runs) > 3 || !p.Numeric():
		var say []string
		for _, s := range []string{words[more], words[less], words[undecided]} {
			if count[s] > 0 {
				say = append(say, fmt.Sprintf("%s in %d", s, count[s]))
			}
		}
		return fmt.Sprintf(": %s of %d", strings.Join(say, ", "), len(ps))
	}
	var say []string
	for i, r := range runs {
		switch {
		case r.from == r.to:
			say = append(say, r.side+" at "+name(r.from))
		case i == 0:
			say = append(say, r.side+" up to "+name(r.to))
		case i == len(runs)-1:
			say = append(say, r.side+" from "+name(r.from))
		default:
			say = append(say, fmt.Sprintf("%s from %s to %s", r.side, name(r.from), name(r.to)))
		}
	}
	return ": " + strings.Join(say, ", ")
}
