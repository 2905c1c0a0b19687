package series

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Valid returns the figures of one unit in the rounds that count, in round
// order. Figures that are not finite are left out.
func (s *Set) Valid(sr *Series, unit string) []float64 {
	if sr == nil {
		return nil
	}
	void := s.voidRounds(sr.Group)
	var out []float64
	for i, v := range sr.Values(unit) {
		if !has(void, sr.Rounds[i]) && !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

// Paired returns ln(num) − ln(den) of one unit for each round in which both have a
// positive figure and neither is excluded, in round order.
func (s *Set) Paired(num, den *Series, unit string) []float64 {
	var d []float64
	s.Join([]*Series{num, den}, unit, func(_ int32, v []float64) {
		d = append(d, math.Log(v[0])-math.Log(v[1]))
	})
	return d
}

// Counts returns the figures of two series in the rounds in which both have a finite one
// that is not negative, zeros included, and neither is excluded.
func (s *Set) Counts(num, den *Series, unit string) (a, b []float64) {
	s.join([]*Series{num, den}, unit, func(v float64) bool { return v >= 0 }, func(_ int32, v []float64) {
		a, b = append(a, v[0]), append(b, v[1])
	})
	return a, b
}

// Link returns the index of the link that a series ran in a round; false where it has no
// sample in it, or one that names no link.
func (sr *Series) Link(round int32) (int, bool) {
	at, ok := slices.BinarySearch(sr.Rounds, round)
	links := sr.Values(UnitLayout)
	if !ok || at >= len(links) || math.IsNaN(links[at]) {
		return 0, false
	}
	return int(links[at]), true
}

// has reports whether a round is excluded. It does no lookup in an empty map, the
// usual case.
func has(rounds map[int32]Void, round int32) bool {
	if len(rounds) == 0 {
		return false
	}
	return rounds[round].Excluded
}

// Join calls fn with the round and the figures of all members, in their order, for each
// round in which every member has a positive, finite figure and none is excluded. The
// slice is reused.
func (s *Set) Join(members []*Series, unit string, fn func(round int32, v []float64)) {
	s.join(members, unit, func(v float64) bool { return v > 0 }, fn)
}

func (s *Set) join(members []*Series, unit string, good func(v float64) bool, fn func(round int32, v []float64)) {
	for _, m := range members {
		if m == nil {
			return
		}
	}
	values, void := make([][]float64, len(members)), make([]map[int32]Void, len(members))
	for i, m := range members {
		values[i], void[i] = m.Values(unit), s.voidRounds(m.Group)
	}
	at := make([]int, len(members))
	row := make([]float64, len(members))
	for _, round := range members[0].Rounds {
		ok := true
		for i, m := range members {
			for at[i] < len(m.Rounds) && m.Rounds[at[i]] < round {
				at[i]++
			}
			vs := values[i]
			if at[i] >= len(m.Rounds) || m.Rounds[at[i]] != round || at[i] >= len(vs) || has(void[i], round) {
				ok = false
				continue
			}
			row[i] = vs[at[i]]
			ok = ok && good(row[i]) && !math.IsInf(row[i], 0)
		}
		if ok {
			fn(round, row)
		}
	}
}

// SameUnits gives a figure that is 0 the unit that it has when it is not: package benchfmt leaves
// "0 gc-pause-ns" as it is, and makes seconds of others.
func SameUnits(r *benchfmt.Result) {
	for i, v := range r.Values {
		if name, ok := strings.CutSuffix(v.Unit, "-ns"); ok && v.OrigUnit == "" && v.Value == 0 {
			r.Values[i] = benchfmt.Value{Unit: name + "-sec", OrigUnit: v.Unit}
		}
	}
}

// Merge makes one result of those of a process's slices, with the given time per operation.
// Counts are summed. What is told of an operation is the mean, because all slices have as many.
func Merge(of []*benchfmt.Result, sec float64) *benchfmt.Result {
	r := of[0].Clone()
	r.Iters = 0
	for _, x := range of {
		r.Iters += x.Iters
	}
	// A unit that only some of the slices have stands in the first that has it.
	for _, x := range of[1:] {
		for _, v := range x.Values {
			if _, ok := r.Value(v.Unit); !ok {
				r.Values = append(r.Values, v)
			}
		}
	}
	for i := range r.Values {
		v := &r.Values[i]
		was := *v
		v.Value = mergeUnit(of, v.Unit, sec)
		if v.OrigUnit == "" {
			continue
		}
		// ns/op, say, is printed as such.
		if was.Value != 0 {
			v.OrigValue = v.Value * (was.OrigValue / was.Value)
		} else {
			v.OrigValue = v.Value * 1e9
		}
	}
	r.Values = append(r.Values, benchfmt.Value{Value: float64(len(of)), Unit: UnitSlices})
	return r
}

func mergeUnit(of []*benchfmt.Result, unit string, sec float64) float64 {
	var sum, most, last, time, weighted, n float64
	for _, x := range of {
		v, ok := x.Value(unit)
		if !ok {
			continue
		}
		t, _ := x.Value("sec/op")
		sum, most, last, n = sum+v, max(most, v), v, n+1
		time, weighted = time+t, weighted+v*t
	}
	switch unit {
	case "sec/op":
		return sec
	case "B/s": // bytes of an operation, in the time that it takes
		return weighted / n / sec
	case "gc-cpu-share":
		return weighted / time
	case UnitGCCycles, "gc-pause-sec", UnitGCFreed, UnitLoopFaults:
		return sum
	case UnitTimerStarts: // one is that of the loop's beginning
		return sum - (n - 1)
	case UnitHeapGoal, UnitIdleCPU:
		return last
	case UnitRSS, UnitGoroutinesLeft, UnitGoroutinesLeftCPU, UnitBLoop:
		return most
	}
	return sum / n
}
