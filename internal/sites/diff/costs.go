package diff

import (
	"cmp"
	"math"
	"slices"

	"memcost/internal/sites"
)

// costs returns what a site costs in the benchmarks of both sides; either site may be nil.
func (c *comparison) costs(old, new *sites.Site) []CostChange {
	out := []CostChange{}
	olds, news := costsOf(old), costsOf(new)
	for i, b := range c.both {
		o, inOld := olds[b.old]
		n, inNew := news[b.new]
		if !inOld && !inNew {
			continue
		}
		t := newTolerance()
		if old != nil && new != nil && (o.Estimated || n.Estimated) {
			t.shared = b.shared
		}
		x := CostChange{Benchmark: i, Objects: t.count(o.Objects, n.Objects),
			Bytes: t.bytes(o.Bytes, n.Bytes, max(perObject(o), perObject(n)))}
		if inOld && inNew {
			x.Share = shares(o.Share, n.Share, c.old.Benchmarks[b.old].Time, c.new.Benchmarks[b.new].Time)
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b CostChange) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(b.Bytes.New, a.Bytes.New))
	})
	return out
}

// shares returns shares of CPU time. A share also changes with the rest of the benchmark: it is
// said to have changed only if its part of the time per operation did, too, as far as times are
// known.
func shares(old, new, oldTime, newTime sites.Interval) PairShare {
	p := pairShare(old, new)
	p.Changed = p.Changed && max(p.Old.Value, p.New.Value) >= sites.LeastShare
	if oldTime.Runs > 1 && newTime.Runs > 1 {
		part := pairShare(product(old, oldTime), product(new, newTime))
		p.Changed = p.Changed && part.Changed && (part.New.Value > part.Old.Value) == (new.Value > old.Value)
	}
	return p
}

// product multiplies figures that are not negative; its interval is wider than it need be.
func product(a, b sites.Interval) sites.Interval {
	return sites.Interval{Value: a.Value * b.Value, Lo: max(a.Lo, 0) * max(b.Lo, 0), Hi: a.Hi * b.Hi,
		Runs: min(a.Runs, b.Runs)}
}

// weight says how much a change matters, to sort by: 0 if nothing changed.
func weight(c CostChange) float64 {
	w := 0.0
	if c.Bytes.Changed {
		w += math.Abs(c.Bytes.Delta())
	}
	if c.Objects.Changed {
		w += leastBlock * math.Abs(c.Objects.Delta())
	}
	return w
}

// leastBlock is what an object weighs beside its bytes.
const leastBlock = 16

// costsOf returns the costs of a site by benchmark.
func costsOf(s *sites.Site) map[int]sites.Cost {
	if s == nil || len(s.Costs) == 0 {
		return nil
	}
	out := make(map[int]sites.Cost, len(s.Costs))
	for _, c := range s.Costs {
		out[c.Benchmark] = c
	}
	return out
}
