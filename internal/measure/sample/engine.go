package sample

import (
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// An Engine takes the samples of a plan.
type Engine struct {
	Plan     *plan.Plan
	Suites   []claim.Suite // parallel to Plan.Suites
	Executor *Executor
	Folder   *store.Folder
	Sampler  *machine.Sampler
	Header   [][2]string // file configuration that all samples share: machine, goos …
	Progress func(Progress)
	Load     *Load // runs beside all samples, which it is subtracted from; nil is none

	set     *series.Set
	pending []*benchfmt.Result // of a round that an earlier process began
	wall    float64            // seconds since the run began to list its cases, this process and those before it
	clock   func()             // brings wall up to date
	open    openState
	end     stat.End
	index   map[suiteCase]int // of Plan.Cases
	alone   map[int]string    // cases whose processes run alone, and why
	// inSlices are the cases whose last samples were taken in slices.
	inSlices map[int]bool
	ran      map[series.ID]ranAlone // what is known from processes that ran alone
}

// ranAlone is what is known of a case from processes that ran alone.
type ranAlone struct {
	cycles float64 // of the collector in an operation, of the last one
	sec    float64 // of an operation, the least
}

// Progress is how far a run has come.
type Progress struct {
	Round, Done, Total int // samples taken and to take in this round
	Suite, Case        string
	Claims, Decided    int
	Open               int     // claims and comparisons of configurations that are not decided
	Precision          float64 // the widest relative half-width that still matters; 0 if not known
	Elapsed, Left      time.Duration
	Suites             []claim.Suite
	Arms               func(suite int) []int // on which a suite is measured
	// Judged are the suites on the first arm, as they were judged last, without most intervals;
	// InFull judges one of them with all, which takes time.
	Judged []*claim.Judged
	InFull func(suite int) *claim.Judged
}

// An Ending says why a run ended.
type Ending string

// The reasons for which a run ends.
const (
	Answered    Ending = "every question is answered"
	OutOfBudget Ending = "the budget is spent"
	OutOfRounds Ending = "the rounds asked for are done"
	Interrupted Ending = "interrupted"
	NothingLeft Ending = "no case is left to run"
)

func (e *Engine) id(t plan.Task) series.ID {
	c := e.Plan.Cases[t.Case]
	return series.ID{Suite: e.Plan.Suites[c.Suite].Name, Case: c.Name, Arm: e.Plan.Arms[t.Arm].Name,
		Role: string(t.Role)}
}

// hopeless reports whether a case has failed so often that it is not tried any
// more: twice without ever a result, or in every other round.
func hopeless(s *series.Series) bool {
	n := len(s.Failures)
	return n >= 2 && n > len(s.Rounds)
}

func (e *Engine) units() []string {
	var units []string
	for _, s := range e.Suites {
		units = append(units, claim.Units(s.Study)...)
	}
	return units
}
