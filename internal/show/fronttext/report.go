package fronttext

import (
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// A Report is a front with what it was computed from.
type Report struct {
	Front   *answer.Front
	Answers []*result.Answer // as the front counts them: the first is here
	// Compared is what several answers say of the same cases, the baseline first.
	Compared []compare.Comparison
	Page     string // the page that shows the same; "": none
}

// suite returns the answer and the part of it that a study of the front stands for; nil where
// there is none.
func (r *Report) suite(s *answer.Study) (*result.Answer, *result.Suite) {
	if s.Run < 0 || s.Run >= len(r.Answers) || s.Suite < 0 || s.Suite >= len(r.Answers[s.Run].Suites) {
		return nil, nil
	}
	a := r.Answers[s.Run]
	return a, &a.Suites[s.Suite]
}

// cases returns how many cases a study has.
func (r *Report) cases(s *answer.Study) int {
	if _, x := r.suite(s); x != nil {
		return len(x.Cases)
	}
	return 0
}

// picture returns the key picture of a study; nil where it has none, or where it is the list of
// the cases, which stands below.
func (r *Report) picture(s *answer.Study) *figures.Picture {
	_, x := r.suite(s)
	if x == nil || s.Key < 0 || s.Key >= len(x.Pictures) || !x.Pictures[s.Key].HasFigures() {
		return nil
	}
	if p := &x.Pictures[s.Key]; p.By != "case" || !listed(x) {
		return p
	}
	return nil
}

// alone returns the only study of the front; nil where there are several.
func (r *Report) alone() *answer.Study {
	if len(r.Front.Studies) != 1 {
		return nil
	}
	return &r.Front.Studies[0]
}
