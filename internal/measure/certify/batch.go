package certify

import (
	"math/rand/v2"
	"time"

	"memcost/internal/measure/plan"
)

// suiteName is what the samples of all batches say they are of.
const suiteName = "certify"

// timeout of one process; under a load the slowest takes a hundredth of it.
const timeout = time.Minute

// plan returns the plan of a batch: a run whose configurations are the copies.
func (a *Attempt) plan(batch int) *plan.Plan {
	o := a.Options
	p := &plan.Plan{Options: plan.Options{Seed: o.Seed + uint64(batch)<<32, Alpha: o.Alpha, Layouts: o.Layouts,
		FreshLayouts: true, Sample: o.Sample, Timeout: timeout, NoGuards: true}}
	if o.takesTurns(batch) {
		p.Options.Slices = o.Slices
	}
	for i := range slower + len(Slowdowns()) {
		p.Arms = append(p.Arms, plan.Arm{Name: armName(i), Toolchain: a.Go})
	}
	// Most cases have the identical copy alone; of the others a single original serves all.
	p.Suites = []plan.Suite{{Name: suiteName, Pkg: "memcost/study/certify", Arms: []int{original, copied}},
		{Name: suiteName, Pkg: "memcost/study/certify"}}
	for i, c := range a.Cases {
		c.Suite, c.Group = 0, i
		for _, known := range a.Batches[batch].Known {
			if known == i {
				c.Suite = 1
			}
		}
		p.Cases = append(p.Cases, c)
	}
	return p
}

// pools returns which links each side of a batch may run: no link is in two of them, and the
// next batch has others.
func (a *Attempt) pools(batch int) [][]int {
	rng := rand.New(rand.NewPCG(a.Options.Seed, 0x9001<<32+uint64(batch)))
	all := rng.Perm(a.Options.Links)
	pools := make([][]int, slower+len(Slowdowns()))
	n := a.Options.Layouts
	for i := range pools {
		pools[i] = all[i*n : (i+1)*n]
	}
	return pools
}

// seeds returns those of the links.
func (a *Attempt) seeds() []uint64 {
	return plan.LayoutSeeds(a.Options.Seed, a.Options.Links, 1)[0][:a.Options.Links]
}
