package front

import (
	"cmp"
	"slices"

	"memcost/internal/answer"
	"memcost/internal/compare"
	"memcost/internal/fronttext"
	"memcost/internal/result"
	"memcost/internal/run"
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
	shipped, err := run.Studies()
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
