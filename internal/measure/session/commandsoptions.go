package session

import (
	"math/rand/v2"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
)

// Options say what is compared and how. Numbers and times that are zero have a default.
type CommandOptions struct {
	Origin  Origin
	Sides   Sides
	Results string // the folder in which the run folder is made
	Label   string // of the run
	DryRun  bool   // prepares, and makes no run folder

	Stdin    string      // file that each command reads; "" is empty
	Prepare  string      // command before each sample
	Alloc    *plan.Alloc // of a program under several allocators
	TestArgs []string    // of programs of benchmarks
	Bench    string      // regular expression, as of go test -bench
	CPU      []int       // GOMAXPROCS values

	Margin  float64 // difference that is worth knowing, as a share
	Alpha   float64
	Budget  time.Duration
	Timeout time.Duration
	Rounds  int
	Seed    *uint64 // of every random choice; nil draws one
}

// budgetEach is the time for one benchmark that nobody set a budget for.
const budgetEach = time.Minute

// mostBudget is the longest time that is taken when nobody set a budget.
const mostBudget = 30 * time.Minute

// allocBudget is the time for a program under several allocators that nobody set a budget for.
const allocBudget = 2 * time.Minute

// allocPrecision is the half-width that the ratio of each allocator shall have, also where it is
// decided before: it is what somebody weighs against memory.
const allocPrecision = 0.05

// plan returns what the plan records of the options.
func (o CommandOptions) plan() (plan.Options, error) {
	p := plan.Options{Profile: Quick, Seed: rand.Uint64N(1e9), Alpha: plan.Alpha, Precision: plan.QuickPrecision,
		Budget: o.Budget, Rounds: o.Rounds, Sample: plan.QuickSample, Longest: plan.QuickLongest, Timeout: o.Timeout,
		Layouts: 1, FreshLayouts: true, Bench: o.Bench, CPU: o.CPU, Together: plan.Together, Margin: o.Margin,
		StopWhenDecided: o.Rounds == 0}
	if o.Alloc != nil {
		p.Even, p.Together, p.Precision = true, 0, allocPrecision
	}
	if o.Alpha != 0 {
		p.Alpha = o.Alpha
	}
	if o.Seed != nil {
		p.Seed = *o.Seed
	}
	if o.Timeout == 0 {
		p.Timeout = time.Minute
	}
	for _, bad := range []struct {
		is        bool
		flag, say string
	}{
		{!(p.Alpha > 0 && p.Alpha < 0.5), "alpha", "must be between 0 and 0.5"},
		{p.Rounds < 0, "rounds", "must not be negative"},
		{p.Budget < 0, "budget", "must be a positive time, like 3m"},
		{p.Timeout < time.Millisecond, "timeout", "must be a positive time, like 1m"},
	} {
		if bad.is {
			return p, hint.Usage("--help lists the flags", "--%s %s", bad.flag, bad.say)
		}
	}
	if err := plan.Check(o.Bench); err != nil {
		return p, hint.Usage("regular expressions as in go test -bench: https://pkg.go.dev/regexp/syntax", "%w", err)
	}
	return p, nil
}

// Changes holds the options that may change when a comparison is gone on with; zero values
// change nothing.
type CommandChanges struct {
	Budget, Timeout time.Duration
	Rounds          int
}

func (c CommandChanges) apply(p *plan.Options) {
	if c.Budget > 0 {
		p.Budget = c.Budget
	}
	if c.Timeout > 0 {
		p.Timeout = c.Timeout
	}
	if c.Rounds > 0 {
		p.Rounds, p.StopWhenDecided = c.Rounds, false
	}
}
