package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Share gives each comparison to one of so many shards, so that the shards take about as long as
// each other: the longest comparison that is left goes to the shard that has least to do. rounds is
// how many a case needs for the verdicts on it. No comparison is split.
func Share(p *Plan, shards int, rounds func(study, name string) int) {
	times := groupTimes(p, rounds)
	order := make([]int, len(times))
	for g := range order {
		order[g] = g
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(times[b], times[a]) })
	p.Parts = make([]int, len(times))
	load := make([]time.Duration, shards)
	for _, g := range order {
		least := 0
		for s := range load {
			if load[s] < load[least] {
				least = s
			}
		}
		load[least] += times[g]
		p.Parts[g] = least + 1
	}
}

// ShareTimes returns the expected time of each shard, for the rounds that verdicts take.
func ShareTimes(p *Plan, shards int, rounds func(study, name string) int) []time.Duration {
	out := make([]time.Duration, shards)
	for g, d := range groupTimes(p, rounds) {
		out[p.Parts[g]-1] += d
	}
	return out
}

// groupTimes returns how long the rounds of each comparison take that verdicts need.
func groupTimes(p *Plan, rounds func(study, name string) int) []time.Duration {
	out := make([]time.Duration, len(p.Groups()))
	for i, c := range p.Cases {
		_, all := verdictTimes(p, i, rounds)
		out[c.Group] += all
	}
	return out
}

// An Attempt is one go at a shard of a plan file, on one machine. Together with a sample's round
// and order it says which sample of all machines one is.
type Attempt struct {
	Plan        string `json:"plan"`        // hash of the plan file
	Calibration string `json:"calibration"` // hash of what the plan file has for machines of this kind
	Machine     string `json:"machine"`     // its kind and its own identity
	Boot        string `json:"boot"`        // changes with every start of the machine
	Shard       int    `json:"shard"`       // from 1 on
	Shards      int    `json:"shards"`
	Number      int    `json:"attempt"` // from 0 on
	// Token is drawn for each attempt: two that were started with the same number are told by it.
	Token string    `json:"token"`
	Began time.Time `json:"began"` // by the machine's clock
	// Ended says why it ended; "" while it runs, and when it was killed.
	Ended string `json:"ended,omitempty"`
	// Whole reports that all was measured that was to be: it was not interrupted.
	Whole bool `json:"whole,omitempty"`
}

// ID returns what two copies of one attempt share.
func (a Attempt) ID() string {
	return fmt.Sprintf("%s/%s/%s/%s/%d", a.Plan, a.Machine, a.Boot, a.Part(), a.Number)
}

// MostShards is into how many a plan can be cut: none has as many comparisons.
const MostShards = 1 << 20

// Part returns the shard as the name of a folder: "3-of-8".
func (a Attempt) Part() string { return fmt.Sprintf("%d-of-%d", a.Shard, a.Shards) }

// Check reports what no attempt can have.
func (a Attempt) Check() error {
	switch {
	case a.Plan == "" || a.Machine == "" || a.Token == "":
		return fmt.Errorf("the attempt names no plan, machine or token")
	case a.Shard < 1 || a.Shard > a.Shards || a.Shards > MostShards:
		return fmt.Errorf("the attempt is of shard %d of %d", a.Shard, a.Shards)
	case a.Number < 0:
		return fmt.Errorf("the attempt has the number %d", a.Number)
	}
	return nil
}
