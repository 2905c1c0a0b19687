package store

import (
	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
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

// Rounds pass the samples of an attempt on. Those of a round of one that did not end by itself are held back until
// another begins, for the last round may not be complete.
type Rounds struct {
	Whole bool // the attempt ended by itself
	Keep  func(r *benchfmt.Result, complete bool) error
	held  []*benchfmt.Result
	last  float64
}

// Add takes a sample.
func (x *Rounds) Add(r *benchfmt.Result) error {
	if x.Whole {
		return x.Keep(r, true)
	}
	round, _ := r.Value(series.UnitRound)
	if round != x.last {
		if err := x.pass(true); err != nil {
			return err
		}
	}
	x.last = round
	x.held = append(x.held, r.Clone())
	return nil
}

// End passes on what is held.
func (x *Rounds) End() error { return x.pass(false) }

func (x *Rounds) pass(complete bool) error {
	for _, r := range x.held {
		if err := x.Keep(r, complete); err != nil {
			return err
		}
	}
	x.held = x.held[:0]
	return nil
}
