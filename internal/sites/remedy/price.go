package remedy

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"memcost/internal/sites"
)

// Prices are what allocating costs on this machine now.
type Prices struct {
	Go      string                   `json:"go"`
	Classes map[int64]sites.Interval `json:"classes"` // seconds for one object of that size, collecting included
	Pairs   map[string]Pair          `json:"pairs"`   // by key of the cause
}

// A Pair is a cause of the study escape, measured: the version that escapes, and its usual fix.
type Pair struct {
	Escapes sites.Interval `json:"escapes"` // seconds per operation
	Fixed   sites.Interval `json:"fixed"`
	Objects float64        `json:"objects"` // per operation of the version that escapes
	Bytes   float64        `json:"bytes"`
}

// A form is a sum of measured prices, each with its factor, by size class. Prices of different
// classes are independent, so that its error follows from the factors.
type form map[int64]float64

// add adds another form, times a factor.
func (f form) add(other form, factor float64) {
	for class, x := range other {
		f[class] += factor * x
	}
}

// A market are the prices with their classes in order.
type market struct {
	Prices
	classes []int64
}

func newMarket(p Prices) *market {
	m := &market{Prices: p}
	for class, x := range p.Classes {
		if x.Runs > 1 {
			m.classes = append(m.classes, class)
		}
	}
	slices.Sort(m.classes)
	return m
}

// one returns the price of one object of a size: the class's own, else on the line between the
// two classes next to it. It is not ok outside of what was measured.
func (m *market) one(size float64) (f form, ok bool) {
	i, _ := slices.BinarySearchFunc(m.classes, size, func(class int64, size float64) int {
		return int(math.Copysign(1, float64(class)-size))
	})
	switch {
	case i == len(m.classes):
		return nil, i > 0 && math.Abs(float64(m.classes[i-1])-size) < 0.5
	case math.Abs(float64(m.classes[i])-size) < 0.5:
		return form{m.classes[i]: 1}, true
	case i == 0:
		return nil, false
	}
	lo, hi := m.classes[i-1], m.classes[i]
	part := (size - float64(lo)) / float64(hi-lo)
	return form{lo: 1 - part, hi: part}, true
}

// leastPriced is the share of a site's objects that have to have a price.
const leastPriced = 0.95

// mean returns the mean price of objects of several sizes, and which sizes are priced by their
// neighbours. It is not ok where too few of the objects have a price.
func (m *market) mean(sizes []sites.SizeClass) (f form, between []int64, ok bool) {
	f = form{}
	var priced, all float64
	for _, s := range sizes {
		all += s.Objects
		x, ok := m.one(float64(s.Bytes))
		if !ok {
			continue
		}
		priced += s.Objects
		f.add(x, s.Objects)
		if len(x) > 1 {
			between = append(between, s.Bytes)
		}
	}
	if priced <= 0 || priced < leastPriced*all {
		return nil, nil, false
	}
	for class := range f {
		f[class] /= priced
	}
	return f, between, true
}

// interval returns the value of a form with its 95% interval.
func (m *market) interval(f form) sites.Interval {
	out := sites.Interval{Runs: math.MaxInt}
	var square float64
	for _, class := range slices.Sorted(maps.Keys(f)) { // sums of floats depend on their order
		x := m.Classes[class]
		out.Value += f[class] * x.Value
		half := f[class] * halfWidth(x)
		square += half * half
		out.Runs = min(out.Runs, x.Runs)
	}
	if len(f) == 0 {
		out.Runs = 0
	}
	out.Lo, out.Hi = out.Value-math.Sqrt(square), out.Value+math.Sqrt(square)
	return out
}

// halfWidth is that of an interval; its lower end may have been cut at 0.
func halfWidth(x sites.Interval) float64 { return max(x.Hi-x.Value, x.Value-x.Lo) }

// pairs names, for each key of a cause, the pair of the study escape ("cause:…") that measures
// its usual fix. A cause that is not listed has no fix of that kind, or none is measured:
// panic, timer, cgo, pool-refill, wrapper, and moved-slice, whose copy is part of append's
// growth.
var pairs = map[string]string{
	"returned-pointer": "returned-pointer",
	"boxing":           "boxing",
	"fmt":              "fmt",
	"closure":          "closure",
	"go-statement":     "go-statement",
	"defer-loop":       "defer-loop",
	"store":            "store",
	"map-put":          "map-value",
	"channel-send":     "channel-send",
	"indirect-call":    "interface-call",
	"reflect":          "reflect",
	"unsafe":           "unsafe",
	"method-value":     "method-value",
	"too-large":        "too-large",
	"variable-make":    "variable-make",
	"append-growth":    "append-growth",
	"slice-literal":    "slice-literal",
	"map-literal":      "map-literal",
	"text-conversion":  "string-of-bytes",
	"concat":           "concat",
	"outlives-loop":    "outlives-loop",
	"leaking-param":    "leaking-param",
	// those that only the runtime knows
	"map-growth":   "map-growth",
	"make-chan":    "make-chan",
	"goroutine":    "go-statement",
	"defer-record": "defer-loop",
}

// mostClasses is how many size classes are asked for; the others are priced by their neighbours.
const mostClasses = 10

// Needs returns the size classes and the causes whose prices Gains needs for some sites: those
// that most of the objects are of, with the smallest and the largest, in order.
func Needs(of []sites.Site) (classes []int64, causes []string) {
	weights, keys := map[int64]float64{}, map[string]bool{}
	for _, s := range of {
		if len(s.Costs) == 0 || s.Class.Idle() {
			continue
		}
		for _, c := range s.Sizes {
			weights[c.Bytes] += c.Objects
		}
		if s.Cause.Key != "" && s.Callee == nil {
			keys[s.Cause.Key] = true
		}
	}
	all := slices.Sorted(maps.Keys(weights))
	if len(all) > mostClasses {
		ends := []int64{all[0], all[len(all)-1]}
		all = all[1 : len(all)-1]
		slices.SortStableFunc(all, func(a, b int64) int { return cmp.Compare(weights[b], weights[a]) })
		all = append(all[:mostClasses-len(ends)], ends...)
		slices.Sort(all)
	}
	return all, slices.Sorted(maps.Keys(keys))
}
