package across

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Of computes what answers say together, by the names that they have beside each other; nil where they are not of
// two machines that share a study. Comparisons of sides are no answers of a machine.
func Of(answers []*result.Answer, names []string) *Report {
	r := &Report{Studies: []Study{}}
	for i, a := range answers {
		if a.Kind == result.Records || a.Question != nil && a.Question.Comparison != nil || a.MachineName() == "" {
			continue
		}
		r.Machines = append(r.Machines, Machine{Name: names[i], Kind: kindOf(a), Board: boardOf(a), Run: i,
			Busy: a.Busy != "", CopyRate: figures.Number(copyRate(a))})
	}
	r.order()
	if r.Boards < 2 {
		return nil
	}
	r.Says = fmt.Sprintf("%d machines of %s", r.Boards, units.Plural(r.Kinds, "kind"))
	b := builder{r, answers}
	for _, name := range b.inSeveral() {
		r.Studies = append(r.Studies, b.study(name))
	}
	if len(r.Studies) == 0 {
		return nil
	}
	return r
}

// kindOf returns the kind of a machine as claims have it: the model of the processor. Machines of which it is not
// known are of one kind each system, so that none is taken for a kind that it is not.
func kindOf(a *result.Answer) string {
	return cmp.Or(a.Machine.CPUModel, a.Machine.Board, a.Machine.OS+"/"+a.Machine.Arch)
}

// boardOf returns which machine an answer is of.
func boardOf(a *result.Answer) string {
	if q := a.Question; q != nil && q.Attempt != nil {
		return q.Attempt.Machine
	} else if q != nil && q.Joined != "" {
		return path.Base(q.Joined)
	}
	return a.Machine.ID()
}

// copyRate returns how fast memcost's own plain copy was, by the median of the first configuration; NaN where it was
// not measured.
func copyRate(a *result.Answer) float64 {
	if a.Set == nil || len(a.Arms) == 0 {
		return math.NaN()
	}
	s := a.Set.Get(series.ID{Suite: series.FloorSuite, Case: series.FloorCopy, Arm: a.Arms[0].Name,
		Role: series.RoleFloor})
	if s == nil {
		return math.NaN()
	}
	return series.FloorCopySize / stat.Median(a.Set.Valid(s, "sec/op"))
}

// order puts the boards of a kind and the answers of a board next to each other, and counts them.
func (r *Report) order() {
	var kinds, boards []string
	for _, m := range r.Machines {
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
		if !slices.Contains(boards, m.Board) {
			boards = append(boards, m.Board)
		}
	}
	slices.SortStableFunc(r.Machines, func(a, b Machine) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(slices.Index(boards, a.Board), slices.Index(boards, b.Board)))
	})
	r.Kinds, r.Boards = len(kinds), len(boards)
}
