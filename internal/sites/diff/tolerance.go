package diff

import (
	"math"

	"memcost/internal/sites"
)

const (
	// countSlack is the share by which two counts of the same code differ: benchmarks whose
	// inputs are chosen at random, and objects that the runtime makes at times.
	countSlack = 0.005
	// rareObjects are so few per operation that they are not made by each: buffers that grow
	// over the whole run, pools that are filled again after a collection. Their number and
	// their size change with the number of operations.
	rareObjects = 0.01
	// tinyBlock is the size of the blocks that objects of less than 16 bytes share
	// (runtime/malloc.go, maxTinySize).
	tinyBlock = 16
)

// A tolerance is by how much counting two runs can be wrong.
type tolerance struct {
	share   float64 // of the larger count
	objects float64 // that are not made by each operation
	rare    float64 // bytes of those
	// shared are the small objects per operation that joined a block which was open, on both
	// sides. The profile does not say whose they are, nor does it who opens a block.
	shared float64
}

func newTolerance() tolerance { return tolerance{share: countSlack, objects: rareObjects} }

// count returns two counts of objects.
func (t tolerance) count(old, new counts) Pair { return t.pair(old, new, t.objects+t.shared) }

// bytes returns two counts of bytes, of objects of a size.
func (t tolerance) bytes(old, new counts, each float64) Pair {
	return t.pair(old, new, t.objects*each+t.shared*tinyBlock+t.rare)
}

// pair returns two counts, which changed where those of one side are further from those of the
// other than counts of the same code are from each other.
func (t tolerance) pair(old, new counts, slack float64) Pair {
	slack += t.share*max(old.hi, new.hi) + max(old.hi-old.lo, new.hi-new.lo)
	return Pair{old.value, new.value, max(new.lo-old.hi, old.lo-new.hi) > slack*(1+1e-9)}
}

// counts are a figure, and the smallest and the largest of it in several runs of the same code.
type counts struct{ value, lo, hi float64 }

// objectsOf and bytesOf return what was counted, with what was counted again.
func objectsOf(value float64, again []sites.Amount) counts {
	return countsOf(value, again, func(a sites.Amount) float64 { return a.Objects })
}

func bytesOf(value float64, again []sites.Amount) counts {
	return countsOf(value, again, func(a sites.Amount) float64 { return a.Bytes })
}

func countsOf(value float64, again []sites.Amount, of func(sites.Amount) float64) counts {
	value = sites.Finite(value)
	out := counts{value, value, value}
	for _, a := range again {
		x := sites.Finite(of(a))
		out.lo, out.hi = min(out.lo, x), max(out.hi, x)
	}
	return out
}

// sharedOut returns, for each benchmark of a report, how many objects were shared out among
// the sites: those beyond the blocks that a site opened. Of sites that make larger objects, too,
// that is not known; they are left out.
func sharedOut(r *sites.Report) []float64 {
	out := make([]float64, len(r.Benchmarks))
	for i := range r.Sites {
		for _, c := range r.Sites[i].Costs {
			if c.Estimated && c.Benchmark >= 0 && c.Benchmark < len(out) {
				out[c.Benchmark] += max(0, sites.Finite(c.Objects-c.Bytes/tinyBlock))
			}
		}
	}
	return out
}

// pairShare returns two figures with their intervals, which changed where the intervals are
// apart.
func pairShare(old, new sites.Interval) PairShare {
	old, new = whole(old), whole(new)
	return PairShare{old, new, old.Runs > 1 && new.Runs > 1 && (old.Hi < new.Lo || new.Hi < old.Lo)}
}

// whole returns an interval that JSON can hold.
func whole(i sites.Interval) sites.Interval {
	if math.IsNaN(i.Value+i.Lo+i.Hi) || math.IsInf(i.Value+i.Lo+i.Hi, 0) {
		return sites.Interval{}
	}
	return i
}

func perObject(c sites.Cost) float64 {
	if !(c.Objects > 0) {
		return 0
	}
	return sites.Finite(c.Bytes / c.Objects)
}

// rareBytes returns, for each benchmark of a report, the bytes of sites whose objects are rare.
func rareBytes(r *sites.Report) []float64 {
	out := make([]float64, len(r.Benchmarks))
	for i := range r.Sites {
		for _, c := range r.Sites[i].Costs {
			if c.Objects < rareObjects && c.Benchmark >= 0 && c.Benchmark < len(out) {
				out[c.Benchmark] += sites.Finite(c.Bytes)
			}
		}
	}
	return out
}
