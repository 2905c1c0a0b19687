package sample

import (
	"math"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/series"
	"memcost/internal/stat"
)

// effects returns the time per operation of each side, in seconds, from its times in each
// slice: all sides have as many slices, and the k-th of them stand next to each other in time.
//
// It is a robust two-way fit of ln time: side + slice. The difference of two sides is the
// Hodges–Lehmann estimate of their differences in each slice, and a side's effect is the mean of
// its differences to all: with two sides, the ratio of what is returned is exp of the
// Hodges–Lehmann estimate of the ln ratios of the slices. The level is that of the slices' means.
func effects(times [][]float64) []float64 {
	sides, slices := len(times), len(times[0])
	level := make([]float64, slices)
	for _, of := range times {
		for k, v := range of {
			level[k] += math.Log(v) / float64(sides)
		}
	}
	middle := stat.HodgesLehmann(level)
	out := make([]float64, sides)
	d := make([]float64, slices)
	for i := range times {
		for j := range i {
			for k := range d {
				d[k] = math.Log(times[i][k]) - math.Log(times[j][k])
			}
			diff := stat.HodgesLehmann(d) / float64(sides)
			out[i], out[j] = out[i]+diff, out[j]-diff
		}
	}
	for i := range out {
		out[i] = math.Exp(middle + out[i])
	}
	return out
}

// sameUnits gives a figure that is 0 the unit that it has when it is not: package benchfmt leaves
// "0 gc-pause-ns" as it is, and makes seconds of others.
func sameUnits(r *benchfmt.Result) {
	for i, v := range r.Values {
		if name, ok := strings.CutSuffix(v.Unit, "-ns"); ok && v.OrigUnit == "" && v.Value == 0 {
			r.Values[i] = benchfmt.Value{Unit: name + "-sec", OrigUnit: v.Unit}
		}
	}
}

// merge makes one result of those of a process's slices, with the given time per operation.
// Counts are summed. What is told of an operation is the mean, because all slices have as many.
func merge(of []*benchfmt.Result, sec float64) *benchfmt.Result {
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
	r.Values = append(r.Values, benchfmt.Value{Value: float64(len(of)), Unit: series.UnitSlices})
	return r
}

func mergeUnit(of []*benchfmt.Result, unit string, sec float64) float64 {
	var sum, most, last, time, weighted, n float64
	for _, x := range of {
		v, ok := x.Value(unit)
		if !ok {
			continue
		}
		t := secPerOp(x)
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
	case series.UnitGCCycles, "gc-pause-sec", series.UnitGCFreed, series.UnitLoopFaults:
		return sum
	case series.UnitTimerStarts: // one is that of the loop's beginning
		return sum - (n - 1)
	case series.UnitHeapGoal, series.UnitIdleCPU:
		return last
	case series.UnitRSS, series.UnitGoroutinesLeft, series.UnitGoroutinesLeftCPU, series.UnitBLoop:
		return most
	}
	return sum / n
}
