package result

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
)

// orderStatistics returns the median with the interval that benchstat shows: between
// two of the samples, without any assumption on how they scatter. A single
// sample has no interval, and fewer than six have none that ends.
func orderStatistics(times []float64, alpha float64) claim.Estimate {
	e := claim.Estimate{Centre: math.NaN(), Medians: math.NaN(), Interval: stat.Interval{Lo: math.NaN(),
		Hi: math.NaN()}, Rounds: len(times)}
	switch len(times) {
	case 0:
	case 1:
		e.Centre, e.Medians = times[0], times[0]
	default:
		s := benchmath.AssumeNothing.Summary(Sample(times), 1-alpha)
		e.Centre, e.Medians, e.Interval = s.Center, s.Center, stat.Interval{Lo: s.Lo, Hi: s.Hi}
	}
	return e
}

// Sample returns figures as the library of benchstat has them.
func Sample(times []float64) *benchmath.Sample {
	t := benchmath.DefaultThresholds
	return benchmath.NewSample(slices.Clone(times), &t)
}

// MedianOf returns the median of figures with the interval of their order statistics.
func MedianOf(vs []float64, unit string, alpha float64) figures.Figure {
	return figure(orderStatistics(vs, alpha), unit)
}
