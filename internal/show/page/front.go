package page

import (
	"slices"
	"strings"

	"memcost/internal/report/answer"
	"memcost/internal/report/result"
)

// newFront returns the view of a front, and what its picture is drawn from; the studies of
// the page are there already.
func (v *view) newFront(own *answer.Front, answers []*result.Answer) *axisData {
	to := links(v.Studies)
	out := &frontView{Front: own}
	var axis *axisData
	if own.Axis != nil {
		axis = newAxis(v, own.Axis, answers)
		out.Curves = newCurves(own.Axis, axis)
		out.At, out.Here = readings(own.Axis, axis)
		for _, s := range axis.Series[1:] {
			out.Series = append(out.Series, s.Label)
		}
	}
	for _, s := range own.Studies {
		m := newMatrix(to, s)
		if out.Invalid == "" && s.Tally.Invalid > 0 {
			out.Invalid = m.Anchor + validityOf
		}
		if len(s.Claims) > 0 {
			out.Verdicts = append(out.Verdicts, m)
		}
		out.Published = out.Published || slices.ContainsFunc(s.Lines, func(l answer.Line) bool { return l.Published })
		for _, c := range s.Claims {
			if !c.Own && len(s.Article) > 0 {
				out.Theirs++
			}
		}
		out.Counted = out.Counted || len(s.Lines) > mostRows
	}
	if out.Invalid == "" && own.Trust.Invalid > 0 {
		out.Invalid = to.troubled()
	}
	out.Filters = filters(own.Tally)
	for _, a := range own.Advice {
		out.Advised = append(out.Advised, adviceView{a, to.claim(a.Study, a.Claim), class(a.Status), mark(a.Status)})
	}
	for _, x := range own.Failing {
		x.Prose, _, _ = strings.Cut(x.Prose, " (published: ") // what was published stands beside it
		out.Fails = append(out.Fails, failingView{x, to.claim(x.Study, x.Claim)})
	}
	v.Front = out
	return axis
}
