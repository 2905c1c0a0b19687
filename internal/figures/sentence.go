package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/series"
	"memcost/internal/units"
)

// Sentence returns the one finding that a picture shows, by the first data set that was
// measured here; by the first published one if there is no other. A ratio names both sides and
// has the dearer one as its subject, each figure its interval. Costs are named one by one: a
// quotient of two of them would have no interval.
func (p *Picture) Sentence() string {
	for _, published := range []bool{false, true} {
		for i := range p.Sets {
			if p.Sets[i].Published != published {
				continue
			}
			if say := p.ofSet(&p.Sets[i]); say != "" {
				return say
			}
		}
	}
	return p.Title + ": not measured"
}

func (p *Picture) ofSet(s *PictureSet) string {
	if p.Kind == catalog.Steps {
		return p.steps(p.Sets)
	}
	if p.Kind != catalog.Forest {
		if say := p.costs(s); say != "" {
			return p.Title + ": " + p.with(s, say)
		}
		return ""
	}
	for c := range p.Columns {
		if c < len(p.Sides) && p.Sides[c].Unit == series.UnitCPU { // it stands behind the ratio of times
			continue
		}
		if ps := p.points(c, s); len(ps) > 0 {
			say := p.with(s, p.ratio(c, ps, p.Busy && !s.Published))
			if c < len(p.Sides) {
				say = upper(say)
			}
			return say
		}
	}
	return ""
}

// with says of which data set a sentence speaks, where there are several.
func (p *Picture) with(s *PictureSet, say string) string {
	if rest, ok := strings.CutPrefix(say, notDecided); ok {
		return notDecided + p.with(s, rest)
	}
	several := len(slices.DeleteFunc(slices.Clone(p.Sets), func(o PictureSet) bool { return o.Published })) > 1
	switch {
	case s.Published:
		return "on " + ShortName(s.Data) + " " + say
	case several:
		return "with " + s.Data + " " + say
	}
	return say
}

// A point is a figure and where it stands.
type point struct {
	label string
	Figure
}

// points returns the figures of a column, in the order of the key.
func (p *Picture) points(column int, s *PictureSet) []point {
	var out []point
	for _, r := range s.Rows {
		if f := r.Cells[column]; !math.IsNaN(float64(f.Value)) {
			out = append(out, point{r.Label, f})
		}
	}
	slices.SortStableFunc(out, func(a, b point) int { return CompareLabels(a.label, b.label) })
	return out
}

// steps says how each column changes along the configurations.
func (p *Picture) steps(sets []PictureSet) string {
	var say []string
	for c, name := range p.Columns {
		var arms, texts []string
		for i := range sets {
			if sets[i].Published {
				continue
			}
			for _, x := range p.points(c, &sets[i]) {
				arms, texts = append(arms, x.label), append(texts, x.Quantity())
			}
		}
		if len(arms) > 0 {
			say = append(say, name+" "+History(Spans(arms, texts)))
		}
	}
	if len(say) == 0 {
		return ""
	}
	return p.Title + ": " + strings.Join(firstOf(say), " · ")
}

// firstOf returns as many of several findings as one can read, and how many there are beside.
func firstOf(say []string) []string {
	const most = 3
	if len(say) > most {
		return append(slices.Clone(say[:most]), fmt.Sprintf("and %d more", len(say)-most))
	}
	return say
}

// Brief returns a figure with the two digits that a sentence has, and its interval: "3.7 [3.2, 5.7]".
func (f Figure) Brief() string {
	v := float64(f.Value)
	return strings.TrimSpace(units.Brief(v, f.Unit) + " " + units.BriefEnds(v, float64(f.Lo), float64(f.Hi), f.Unit))
}

// at says where a figure stands: " at 64 KiB", " in reflect"; "" where there are no words for it.
func (p *Picture) at(x point) string {
	if p.ofCauses() {
		return " in " + x.label
	}
	if p.By == "busy" {
		return " " + besideBusy(x.label)
	}
	if where := Place(p.By + "=" + x.label); where != "" {
		return " at " + where
	}
	return ""
}

// ofCauses reports whether the key tells kinds of code apart, and not values of something.
func (p *Picture) ofCauses() bool {
	return p.By == "cause" || p.By == "case" || p.By == "by" || p.By == "from"
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

// many counts values of the key: "13 causes".
func (p *Picture) many(n int) string {
	values := valuesOf(p.By)
	if n == 1 {
		values = strings.TrimSuffix(strings.Replace(values, "values of ", "value of ", 1), "s")
	}
	return fmt.Sprint(n, " ", values)
}

func extremes(ps []point) (lo, hi point) {
	byValue := func(a, b point) int { return cmp.Compare(a.Value, b.Value) }
	return slices.MinFunc(ps, byValue), slices.MaxFunc(ps, byValue)
}
