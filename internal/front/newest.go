package front

import (
	"slices"

	"memcost/internal/answer"
	"memcost/internal/compare"
	"memcost/internal/fronttext"
	"memcost/internal/result"
	"memcost/internal/run"
)

// reportOf computes the front of answers. Here is the newest whose machine was not busy, for a
// busy one decides little; those of a day that is not known keep their places.
func reportOf(answers []*result.Answer, page string) (*fronttext.Report, error) {
	newest := slices.Clone(answers)
	slices.SortStableFunc(newest, func(a, b *result.Answer) int {
		if busy := a.Busy != ""; busy != (b.Busy != "") {
			if busy {
				return 1
			}
			return -1
		}
		return b.Created.Compare(a.Created)
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
