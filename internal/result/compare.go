package result

import "slices"

// Compare compares the suites that at least two answers have, each by its first
// arm there. Suites are the same when they have one name; those of files that
// name none, when they have cases in common.
func Compare(answers []*Answer) []RunComparison {
	var out []RunComparison
	names := Labels(answers)
	for _, shared := range SharedSuites(answers) {
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
