package sitediff

import (
	"math"

	"memcost/internal/why"
)

const (
	// countSlack is the share by which two counts of the same code differ: benchmarks whose
	// inputs are chosen at random, and objects that the runtime makes at times.
	countSlack = 0.005
	// tinySlack is the same where objects under 16 bytes were shared out among the sites.
	tinySlack = 0.2
	// onceSlack is the most that one object of the whole run is per operation, of what is
	// allocated once and not by each operation.
	onceSlack = 0.01
)

// A tolerance is by how much counting two runs can be wrong.
type tolerance struct {
	share, objects float64
}

func toleranceOf(old, new why.Benchmark, estimated bool) tolerance {
	t := tolerance{countSlack, onceSlack}
	if estimated {
		t.share = tinySlack
	}
	if old.N > 0 && new.N > 0 {
		t.objects = min(onceSlack, 1/float64(old.N)+1/float64(new.N))
	}
	return t
}

// pair returns two figures; each is the size of what is counted, 1 for objects.
func (t tolerance) pair(old, new, each float64) Pair {
	old, new = finite(old), finite(new)
	slack := t.share*max(old, new) + t.objects*each
	return Pair{old, new, math.Abs(new-old) > slack*(1+1e-9)}
}

func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// pairShare returns two figures with their intervals, which changed where the intervals are
// apart.
func pairShare(old, new why.Interval) PairShare {
	old, new = whole(old), whole(new)
	return PairShare{old, new, old.Runs > 1 && new.Runs > 1 && (old.Hi < new.Lo || new.Hi < old.Lo)}
}

// whole returns an interval that JSON can hold.
func whole(i why.Interval) why.Interval {
	if math.IsNaN(i.Value+i.Lo+i.Hi) || math.IsInf(i.Value+i.Lo+i.Hi, 0) {
		return why.Interval{}
	}
	return i
}

func perObject(c why.Cost) float64 {
	if !(c.Objects > 0) {
		return 0
	}
	return finite(c.Bytes / c.Objects)
}
