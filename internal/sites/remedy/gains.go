package remedy

import (
	"fmt"
	"math"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// Gains fills the Price and the Gain of the sites of a report, where they can be computed.
//
// The price of a site is the mean of the prices of its size classes, weighted by its objects. A
// class that was not measured is priced on the line between its two neighbours.
//
// The gain is an estimate, of the benchmark in which the site allocates most bytes. With
//
//	n       objects per operation of the site
//	P       its price
//	E, F    seconds per operation of the cause's pair, as it escapes and fixed
//	o, p    objects per operation of the pair as it escapes, and the price of their mean size
//
// the pair saves (E - F)/o for one object. Of this p is the allocation, which is replaced by
// that of the site's own sizes; the rest, what the pair adds, is taken as it is:
//
//	gain = n × (P - p + (E - F)/o)
//
// so that it is never more than n × (P + what the pair adds). Half its 95% interval is
// n × √(Σ cᵢ²hᵢ² + (h(E)² + h(F)²)/o²), for the independent means of which it is a sum: hᵢ is
// half the interval of the price of class i, and cᵢ its factor in P - p. Of its share of the
// time T per operation, half the interval is √(h(gain)² + share² × h(T)²)/T.
//
// Of append's growth the fix leaves the last block: n and P are of all size classes but the
// largest. Objects of more than 128 KiB do not fit into a stack frame, so that no fix is taken
// to remove them.
//
// What is left is cut to the site's own share of the CPU time, where that was measured.
//
// There is no gain without advice; where its interval reaches 0, or its share's the whole
// operation; where the pair's version that escapes does not allocate with this Go; and for what is
// allocated inside another package, whose code the user's fix does not change.
func Gains(r *sites.Report, p Prices) {
	m := newMarket(p)
	for i := range r.Sites {
		s := &r.Sites[i]
		s.Price, s.Gain = nil, nil
		f, _, ok := m.mean(s.Sizes)
		if !ok {
			continue
		}
		price := m.interval(f)
		if price.Lo = max(price.Lo, 0); price.Value <= 0 {
			continue
		}
		s.Price = &price
		s.Gain = m.gain(r, s)
	}
}

// frameMost is the largest variable that the compiler leaves in a frame (ir.MaxStackVarSize in
// cmd/compile, Go 1.24 and later; it was 10 MiB before).
const frameMost = 128 << 10

// leastRemoved is the share of a site's objects below which there is no gain to speak of.
const leastRemoved = 0.05

// removed returns the sizes of the objects that the fix of a site removes, and their share.
func removed(s *sites.Site) (sizes []sites.SizeClass, share float64) {
	last := int64(frameMost)
	if s.Cause.Key == "append-growth" {
		last = -1
		for _, c := range s.Sizes {
			last = max(last, c.Bytes-1)
		}
		last = min(last, frameMost)
	}
	var all float64
	for _, c := range s.Sizes {
		all += c.Objects
		if c.Bytes <= last {
			sizes, share = append(sizes, c), share+c.Objects
		}
	}
	if all <= 0 {
		return nil, 0
	}
	return sizes, share / all
}

// gain returns what the usual fix of a site saves, nil where it is not known.
func (m *market) gain(r *sites.Report, s *sites.Site) *sites.Gain {
	pair, known := m.Pairs[s.Cause.Key]
	if !known || s.Advice == "" || s.Callee != nil || s.Class.Idle() || len(s.Costs) == 0 || pair.Objects < 0.5 ||
		pair.Escapes.Runs < 2 || pair.Fixed.Runs < 2 {
		return nil
	}
	sizes, share := removed(s)
	price, between, ok := m.mean(sizes)
	if !ok || share < leastRemoved {
		return nil
	}
	studied, ok := m.one(pair.Bytes / pair.Objects)
	if !ok {
		return nil
	}
	sum := form{}
	sum.add(price, 1)
	sum.add(studied, -1)
	cost := s.Costs[0]
	n := cost.Objects * share
	beside := m.interval(sum)
	value := n * (beside.Value + (pair.Escapes.Value-pair.Fixed.Value)/pair.Objects)
	half := n * math.Hypot(halfWidth(beside),
		math.Hypot(halfWidth(pair.Escapes), halfWidth(pair.Fixed))/pair.Objects)
	out := &sites.Gain{Benchmark: cost.Benchmark, From: from(m.interval(price), pair, between, share)}
	out.Seconds = sites.Interval{Value: value, Lo: value - half, Hi: value + half,
		Runs: min(beside.Runs, pair.Escapes.Runs, pair.Fixed.Runs)}
	if !(out.Seconds.Lo > 0) || math.IsInf(value, 0) {
		return nil
	}
	if cost.Benchmark >= 0 && cost.Benchmark < len(r.Benchmarks) {
		time := r.Benchmarks[cost.Benchmark].Time
		if out.Seconds, ok = spendable(out.Seconds, cost.Share, time); !ok {
			return nil
		}
		if out.Share, ok = shareOf(out.Seconds, time); !ok {
			return nil
		}
	}
	return out
}

// spendable returns a gain that is cut to what allocating at the site was measured to take of the CPU time:
// prices are of other code, and no more than was spent can be saved. It is not ok where that may be
// nothing.
func spendable(gain, spent, time sites.Interval) (cut sites.Interval, ok bool) {
	if spent.Runs < 2 || time.Runs < 2 {
		return gain, true
	}
	gain.Value = min(gain.Value, spent.Value*time.Value)
	gain.Lo = min(gain.Lo, spent.Lo*time.Lo)
	gain.Hi = min(gain.Hi, spent.Hi*time.Hi)
	return gain, gain.Lo > 0
}

// shareOf returns a share of the time per operation, none where the time was not measured. It
// is not ok where more than the whole might be saved.
func shareOf(gain, time sites.Interval) (out sites.Interval, ok bool) {
	if time.Runs < 2 || time.Value <= 0 {
		return sites.Interval{}, true
	}
	share := gain.Value / time.Value
	half := math.Hypot(halfWidth(gain), share*halfWidth(time)) / time.Value
	out = sites.Interval{Value: share, Lo: max(share-half, 0), Hi: share + half, Runs: min(gain.Runs, time.Runs)}
	return out, out.Hi <= 1
}

// from says what a gain was computed from.
func from(price sites.Interval, pair Pair, between []int64, share float64) string {
	left := "every one of them"
	if share < 0.995 {
		left = units.Percent(share) + " of them"
	}
	out := fmt.Sprintf("In the study escape the usual fix of this cause saves %s for each object of %v bytes; here "+
		"the object itself costs %s, and the fix is taken to remove %s",
		units.Seconds((pair.Escapes.Value-pair.Fixed.Value)/pair.Objects),
		math.Round(pair.Bytes/pair.Objects), units.Seconds(price.Value), left)
	if len(between) > 0 {
		out += fmt.Sprintf(" (the price of %s lies between those of the sizes next to it)",
			units.Plural(len(between), "size"))
	}
	return out + "."
}
