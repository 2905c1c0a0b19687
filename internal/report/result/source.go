package result

import (
	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
)

// A Source is a run whose answer is computed, wherever its samples are kept.
type Source struct {
	Name     string // the run folder, or what stands for it
	Question *plan.Question
	// Samples streams the samples in the order in which they were taken, and returns what is wrong with
	// them. A Result belongs to the reader. When it returns, the Question may say more than before:
	// what is missing of it.
	Samples func(fn func(*benchfmt.Result) error) (warnings []error, err error)
}
