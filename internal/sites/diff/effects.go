package diff

import (
	"cmp"
	"math"
	"slices"
)

// An Effect is the part of a site in what became of a benchmark.
type Effect struct {
	Site int // index into Diff.Sites
	// What an operation allocates there now, less what it did; 0 where counting can explain it.
	Objects, Bytes float64
}

// effects returns the sites by which a benchmark of both sides changed, the largest effect first,
// and what of its change they do not explain: what the runtime and the testing package allocate,
// and many small changes that are none each. The rest is 0 where counting can explain it.
func (d *Diff) effects(benchmark int) (effects []Effect, rest Effect) {
	b := d.Benchmarks[benchmark]
	if b.Only != "" {
		return nil, rest
	}
	sum := Effect{}
	for i, c := range d.Sites {
		for _, x := range c.Costs {
			if x.Benchmark != benchmark || !x.Objects.Changed && !x.Bytes.Changed {
				continue
			}
			e := Effect{i, changed(x.Objects), changed(x.Bytes)}
			sum.Objects, sum.Bytes = sum.Objects+e.Objects, sum.Bytes+e.Bytes
			effects = append(effects, e)
		}
	}
	slices.SortStableFunc(effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Bytes), math.Abs(a.Bytes)),
			cmp.Compare(math.Abs(b.Objects), math.Abs(a.Objects)))
	})
	rest.Objects, rest.Bytes = beyond(b.Objects, sum.Objects), beyond(b.Bytes, sum.Bytes)
	return effects, rest
}

func changed(p Pair) float64 {
	if p.Changed {
		return p.Delta()
	}
	return 0
}

// beyond returns what a sum of changes leaves of a change; 0 if it is no more than what two
// counts of the same code differ by.
func beyond(p Pair, sum float64) float64 {
	t := newTolerance()
	if left := p.Delta() - sum; math.Abs(left) > t.objects+t.share*max(p.Old, p.New) {
		return left
	}
	return 0
}
