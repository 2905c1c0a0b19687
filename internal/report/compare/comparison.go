package compare

import (
	"memcost/internal/report/figures"
)

// A Comparison is what several answers say of the same cases, the first of them
// against each further one.
//
// They were not measured side by side: the ratios are those of independent
// samples, and hold for the machines as they were.
type Comparison struct {
	Study string
	Table figures.Table // a column of times for each answer, then one of ratios for each further one
	// Picture has one set for each further answer's first side.
	Picture figures.Picture
	Runs    []int // the answer of each of the picture's sets
	Parts   []Part
	// Busy names the answers whose machine was busy: differences from them get no verdict.
	Busy []string
}

// A Part is a study of one of the answers.
type Part struct {
	Answer int
	Study  string // as that answer calls it
}
