package plan

import (
	"cmp"
	"slices"
	"time"
)

// Share gives each comparison to one of so many shards, so that the shards take about as long as
// each other: the longest comparison that is left goes to the shard that has least to do. rounds is
// how many a case needs for the verdicts on it. No comparison is split.
func Share(p *Plan, shards int, rounds func(suite, name string) int) {
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
func ShareTimes(p *Plan, shards int, rounds func(suite, name string) int) []time.Duration {
	out := make([]time.Duration, shards)
	for g, d := range groupTimes(p, rounds) {
		out[p.Parts[g]-1] += d
	}
	return out
}

// groupTimes returns how long the rounds of each comparison take that verdicts need.
func groupTimes(p *Plan, rounds func(suite, name string) int) []time.Duration {
	out := make([]time.Duration, len(p.Groups()))
	for i, c := range p.Cases {
		_, all := verdictTimes(p, i, rounds)
		out[c.Group] += all
	}
	return out
}
