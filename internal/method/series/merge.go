package series

import (
	"strings"

	"golang.org/x/perf/benchfmt"
)

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
