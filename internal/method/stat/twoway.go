package stat

import "math"

// TwoWay returns the time per operation of each side, in seconds, from its times in each
// slice: all sides have as many slices, and the k-th of them stand next to each other in time.
//
// It is a robust two-way fit of ln time: side + slice. The difference of two sides is the
// Hodges–Lehmann estimate of their differences in each slice, and a side's effect is the mean of
// its differences to all: with two sides, the ratio of what is returned is exp of the
// Hodges–Lehmann estimate of the ln ratios of the slices. The level is that of the slices' means.
func TwoWay(times [][]float64) []float64 {
	sides, all := len(times), len(times[0])
	level := make([]float64, all)
	for _, of := range times {
		for k, v := range of {
			level[k] += math.Log(v) / float64(sides)
		}
	}
	middle := HodgesLehmann(level)
	out := make([]float64, sides)
	d := make([]float64, all)
	for i := range times {
		for j := range i {
			for k := range d {
				d[k] = math.Log(times[i][k]) - math.Log(times[j][k])
			}
			diff := HodgesLehmann(d) / float64(sides)
			out[i], out[j] = out[i]+diff, out[j]-diff
		}
	}
	for i := range out {
		out[i] = math.Exp(middle + out[i])
	}
	return out
}
