// Package profiling is memcost alloc --profile: it runs a program with its calls of malloc counted
// and without, and says how the program uses malloc.
package cli

import (
	"time"

	"memcost/internal/base/hint"
)

// Options say how a program is profiled. The zero value takes the defaults.
type mallocProfileOptions struct {
	Stdin   string        // file that the program reads; "" is empty input
	Runs    int           // with counting and without it each; 0 is as many as the budget has room for
	Budget  time.Duration // of these runs; 0 is DefaultBudget
	JSON    bool          // instead of text
	Verbose bool          // print each command
}

// DefaultBudget is what the runs may take that tell what counting costs.
const DefaultBudget = 20 * time.Second

// The runs of each kind, where the budget alone says how many there are. With fewer than 4 there is
// no interval.
const (
	fewestRuns = 4
	mostRuns   = 20
)

// filled returns the options with their defaults.
func (o mallocProfileOptions) filled() (mallocProfileOptions, error) {
	if o.Runs < 0 || o.Budget < 0 {
		return o, hint.Usage("for example --runs 6 --budget 1m", "the number of runs and the budget must be positive")
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	return o, nil
}

// pairs is how many runs of each kind there will be, of a program that takes so long. It is chosen
// before they begin, so that the interval is that of one look at the data.
func (o mallocProfileOptions) pairs(took time.Duration) int {
	if o.Runs > 0 {
		return o.Runs
	}
	room := int(o.Budget / (2 * max(took, time.Millisecond)))
	return min(max(room, fewestRuns), mostRuns)
}
