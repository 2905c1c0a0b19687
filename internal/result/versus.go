package result

import "slices"

// A Versus is what several answers say of the same cases, the first of them
// against each further one.
//
// They were not measured side by side: the ratios are those of independent
// samples, and hold for the machines as they were.
type Versus struct {
	Suite string
	Table Table // a column of times for each answer, then one of ratios for each further one
	// Picture has one set for each further answer's first arm.
	Picture Picture
	Runs    []int // the answer of each of the picture's sets
	Parts   []Part
}

// A Part is a suite of one of the answers.
type Part struct {
	Answer int
	Suite  string // as that answer calls it
}

// Compare compares the suites that at least two answers have, each by its first
// arm there. Suites are the same when they have one name; those of files that
// name none, when they have cases in common.
func Compare(answers []*Answer) []Versus {
	var out []Versus
	names := Labels(answers)
	for _, shared := range SharedSuites(answers) {
		compared := slices.DeleteFunc(slices.Clone(shared.Sides), func(x *Side) bool { return len(x.cases) == 0 })
		if len(compared) < 2 {
			continue
		}
		if v, ok := sides(compared).versus(shared.Name, names); ok {
			out = append(out, v)
		}
	}
	return out
}
