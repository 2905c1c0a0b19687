package compare

import (
	"slices"

	"memcost/internal/result"
)

// Answers compares the suites that at least two answers have, each by its first
// arm there. Suites are the same when they have one name; those of files that
// name none, when they have cases in common.
func Answers(answers []*result.Answer) []Comparison {
	var out []Comparison
	names := result.Labels(answers)
	for _, shared := range Suites(answers) {
		compared := slices.DeleteFunc(slices.Clone(shared.Sides), func(x *Side) bool { return len(x.cases) == 0 })
		if len(compared) < 2 {
			continue
		}
		if v, ok := sides(compared).compare(shared.Name, names); ok {
			out = append(out, v)
		}
	}
	return out
}
