package page

import (
	"slices"

	"memcost/internal/answer"
	"memcost/internal/result"
)

// newFront returns the view of a front, and what its picture is drawn from; the studies of
// the page are there already.
func (v *view) newFront(own *answer.Front, answers []*result.Answer) *axisData {
	out := &frontView{Front: own}
	var axis *axisData
	if own.Axis != nil {
		axis = v.newAxis(own.Axis, answers)
		out.Curves = newCurves(own.Axis, axis)
		out.At, out.Here = readings(own.Axis, axis)
		for _, s := range axis.Series[1:] {
			out.Series = append(out.Series, s.Label)
		}
	}
	for _, s := range own.Studies {
		m := v.matrix(s)
		if len(s.Claims) > 0 {
			out.Verdicts = append(out.Verdicts, m)
		}
		out.Published = out.Published || slices.ContainsFunc(s.Lines, func(l answer.Line) bool { return l.Published })
		out.Counted = out.Counted || len(s.Lines) > mostRows
		if out.Invalid == "" && s.Tally.Invalid > 0 {
			out.Invalid = m.Anchor
		}
	}
	if out.Invalid == "" && own.Trust.Invalid > 0 {
		out.Invalid = v.troubled()
	}
	out.Filters = filters(own.Tally)
	for _, a := range own.Advice {
		out.Advised = append(out.Advised, adviceView{a, v.claimLink(a.Study, a.Claim), class(a.Status), mark(a.Status)})
	}
	for _, x := range own.Failing {
		out.Fails = append(out.Fails, failingView{x, v.claimLink(x.Study, x.Claim)})
	}
	v.Front = out
	return axis
}

// troubled returns the address of the first study with a case that is INVALID or failed.
func (v *view) troubled() string {
	for _, s := range v.Studies {
		for _, p := range s.Problems {
			if p.Kind != "flagged" {
				return s.Anchor
			}
		}
	}
	return ""
}

// claimLink returns the address of a claim's row; of a claim that no study has, of the studies.
func (v *view) claimLink(study, id string) string {
	for _, s := range v.Studies {
		if s.Name == study {
			for _, c := range s.Claims {
				if c.ID == id {
					return "#" + c.Anchor
				}
			}
			return "#" + s.Anchor
		}
	}
	return "#studies"
}

func (v *view) anchorOf(study string) string {
	for _, s := range v.Studies {
		if s.Name == study {
			return s.Anchor
		}
	}
	return "studies"
}
