package result

import (
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
)

// Of gathers what a study's figures rest on.
func Of(s claim.Study, set *series.Set, q *plan.Question, judged []*claim.Judged) *Evidence {
	e := &Evidence{}
	var mine []*series.Series
	for _, j := range judged {
		mine = append(mine, j.Cases...)
	}
	e.Timeline = timeline(s.Name, set, q, mine)
	e.Strips, e.MoreCases = strips(set, mine)
	e.Narrowing = narrowings(s.Written, judged)
	return e
}
