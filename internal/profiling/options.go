// Package profiling is memcost alloc --profile: it runs a program with its calls of malloc counted
// and without, and says how the program uses malloc.
package profiling

import (
	"time"

	"memcost/internal/hint"
)

// Options say how a program is profiled. The zero value takes the defaults.
type Options struct {
	Stdin   string        // file that the program reads; "" is empty input
	Runs    int           // with counting and without, for what counting costs; 0 is DefaultRuns
	Budget  time.Duration // of these runs; 0 is DefaultBudget
	JSON    bool          // instead of text
	Verbose bool          // print each command
}

// The defaults of Options.
const (
	DefaultRuns   = 6
	DefaultBudget = time.Minute
)

// filled returns the options with their defaults.
func (o Options) filled() (Options, error) {
	if o.Runs < 0 || o.Budget < 0 {
		return o, hint.Usage("for example --runs 6 --budget 1m", "the number of runs and the budget must be positive")
	}
	if o.Runs == 0 {
		o.Runs = DefaultRuns
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	return o, nil
}
