package cli

import (
	"cmp"
	"slices"

	"memcost/internal/measure/session"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/fronttext"
)

// reportOf computes the front of answers. Here is the newest run whose machine was not busy, for
// a busy one decides little; what others measured is not here. Answers of a day that is not known
// keep their places.
func reportOf(answers []*result.Answer, page string) (*fronttext.Report, error) {
	newest := slices.Clone(answers)
	slices.SortStableFunc(newest, func(a, b *result.Answer) int {
		return cmp.Or(last(a.Kind == result.File, b.Kind == result.File), last(a.Busy != "", b.Busy != ""),
			b.Created.Compare(a.Created))
	})
	shipped, err := session.Studies()
	if err != nil {
		return nil, err
	}
	r := &fronttext.Report{Front: answer.Of(newest, answer.Options{Shipped: shipped}), Answers: newest, Page: page}
	if len(answers) > 1 {
		r.Compared = compare.Answers(answers)
	}
	return r, nil
}

// last orders what is so behind what is not.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
