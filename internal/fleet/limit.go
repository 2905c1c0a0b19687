package fleet

import (
	"time"

	"memcost/internal/measure/plan"
)

// lateBy is how many times as long as expected an attempt may take before it is taken for lost.
const lateBy = 2

// Limit returns how long an attempt at a shard of a plan may take on any of its kinds: after that it
// counts as lost.
func Limit(f *File, shards int) (time.Duration, error) {
	longest := time.Duration(0)
	for i := range f.Kinds {
		for shard := 1; shard <= shards; shard++ {
			p, err := f.Kinds[i].Shard(plan.Attempt{Shard: shard, Shards: shards})
			if err != nil {
				return 0, err
			}
			longest = max(longest, p.Options.Budget)
		}
	}
	return lateBy * (longest + building), nil
}
