package store

import (
	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
)

// A Source is a run, wherever its samples are kept.
type Source struct {
	Name     string // the run folder, or what stands for it
	Question *plan.Question
	// Samples streams the samples in the order in which they were taken, and returns what is wrong with
	// them. A Result belongs to the reader. When it returns, the Question may say more than before:
	// what is missing of it.
	Samples func(fn func(*benchfmt.Result) error) (warnings []error, err error)
}

// ReadRun reads a run folder, and refuses a question that no run could have asked.
func ReadRun(dir string) (Source, error) {
	src := Source{Name: dir, Question: &plan.Question{}}
	if err := ReadQuestion(dir, src.Question); err != nil {
		return src, err
	}
	src.Samples = func(fn func(*benchfmt.Result) error) ([]error, error) {
		warnings, err := ReadSamples(dir, fn)
		return append(warnings, CheckSamples(dir)...), err
	}
	return src, Unusable(dir, src.Question.Check())
}
