package fleet

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
)

// RoundsOf returns how many rounds a case needs, by its study and name.
func (k *Kind) RoundsOf(suite, name string) int {
	p := &k.Question.Plan
	for i, c := range p.Cases {
		if c.Name == name && p.Suites[c.Suite].Name == suite {
			return k.Rounds[i]
		}
	}
	return plan.FirstRounds
}

// Shared returns the plan of the kind, with each comparison given to one of so many shards.
func (k *Kind) Shared(shards int) plan.Plan {
	p := k.Question.Plan
	plan.Share(&p, shards, k.RoundsOf)
	return p
}

// Shard returns the plan of an attempt at a shard: its comparisons, its part of the budget, and an
// order of rounds of its own, so that what is measured twice is not measured in the same order.
func (k *Kind) Shard(a plan.Attempt) (plan.Plan, error) {
	p := k.Shared(a.Shards)
	if groups := len(p.Groups()); a.Shards > groups {
		return p, hint.Usage(fmt.Sprintf("--shard i/%d at most", groups),
			"--shard %d/%d: the plan has %d comparisons, and none is split", a.Shard, a.Shards, groups)
	}
	times := plan.ShareTimes(&p, a.Shards, k.RoundsOf)
	p.Options.Shard, p.Options.Shards, p.Options.Draw = a.Shard, a.Shards, draw(a)
	p.Options.Budget = part(p.Options.Budget-p.Prepared, times, a.Shard)
	p.Prepared = 0
	return p, nil
}

// part returns the part of a budget that a shard has, by the expected times.
func part(budget time.Duration, times []time.Duration, shard int) time.Duration {
	all := time.Duration(0)
	for _, d := range times {
		all += d
	}
	if all == 0 {
		return budget
	}
	return max(time.Duration(float64(budget)*float64(times[shard-1])/float64(all)), time.Second).Round(time.Millisecond)
}

// draw returns the seed of the order of an attempt's rounds.
func draw(a plan.Attempt) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %d", a.Plan, a.Machine, a.Part(), a.Number))
	return binary.BigEndian.Uint64(sum[:]) >> 1 // JSON readers of other languages have 53 bits or a sign
}
