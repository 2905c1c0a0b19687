package figures

import (
	"slices"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
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
	if p.Kind == language.Steps {
		return p.steps(p.Sets)
	}
	if p.Kind != language.Forest {
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
