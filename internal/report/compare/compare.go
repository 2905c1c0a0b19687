package compare

import (
	"slices"
	"strings"

	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Answers compares the studies that at least two answers have, each by its first
// side there. Studies are the same when they have one name; those of files that
// name none, when they have cases in common.
func Answers(answers []*result.Answer) []Comparison {
	var out []Comparison
	names := result.Labels(answers)
	for _, shared := range Studies(answers) {
		compared := slices.DeleteFunc(slices.Clone(shared.Sides), func(x *StudySide) bool { return len(x.cases) == 0 })
		if len(compared) < 2 {
			continue
		}
		if v, ok := sides(compared).compare(shared.Name, names); ok {
			for _, x := range compared {
				if answers[x.Answer].Busy != "" {
					v.Busy = append(v.Busy, names[x.Answer])
				}
			}
			if len(v.Busy) > 0 {
				v.Table.Notes = append(v.Table.Notes, "the machine was busy in "+strings.Join(v.Busy, " and in ")+
					": these are its costs "+figures.Beside+", and a difference gets no verdict")
			}
			out = append(out, v)
		}
	}
	return out
}
