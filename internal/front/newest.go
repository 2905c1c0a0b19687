package front

import (
	"slices"

	"memcost/internal/answer"
	"memcost/internal/compare"
	"memcost/internal/fronttext"
	"memcost/internal/result"
	"memcost/internal/run"
)

// reportOf computes the front of answers: the newest is here, those of a day that is not known
// keep their places.
func reportOf(answers []*result.Answer, page string) (*fronttext.Report, error) {
	newest := slices.Clone(answers)
	slices.SortStableFunc(newest, func(a, b *result.Answer) int { return b.Created.Compare(a.Created) })
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
