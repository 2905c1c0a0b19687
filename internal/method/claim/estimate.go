package claim

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// Estimate estimates a case's own figure. Its interval assumes rounds that
// scatter symmetrically about a fixed centre.
func (d *Data) Estimate(s *series.Series, unit string) Estimate {
	return d.about(subject{s, nil, unit})
}

// Ratio estimates the ratio of two cases, paired by round.
func (d *Data) Ratio(num, den *series.Series, unit string) Estimate {
	return d.about(subject{num, den, unit})
}

// about returns the estimate of x at level 1 − α. The same subject stands in
// several claims, tables and lists, and costs 40 ms at 17,000 rounds: it is
// estimated once, for as long as d lives.
func (d *Data) about(x subject) Estimate {
	if e, ok := d.known[x]; ok {
		return e
	}
	return d.store(x, d.estimate(x))
}

// store keeps an estimate, with its medians.
func (d *Data) store(x subject, e Estimate) Estimate {
	if e.Rounds > 0 {
		e.Medians = medianOf(d, x.num, x.unit)
		if x.den != nil {
			e.Medians /= medianOf(d, x.den, x.unit)
		}
	}
	if d.known == nil {
		d.known = map[subject]Estimate{}
	}
	d.known[x] = e
	return e
}

// median is the median of a case's figures in the rounds that count.
func medianOf(d *Data, c *series.Series, unit string) float64 {
	at := subject{c, nil, unit}
	m, ok := d.medians[at]
	if !ok {
		m = stat.Median(d.values(c, unit))
		if d.medians == nil {
			d.medians = map[subject]float64{}
		}
		d.medians[at] = m
	}
	return m
}

// strict returns the confidence sequence of a subject at level 1 − alpha.
func (d *Data) strict(x subject, alpha float64) stat.Interval {
	at := level{x, alpha}
	iv, ok := d.levels[at]
	if !ok {
		if a, b, zeros := countsWithZeros(d, x); zeros {
			_, iv = stat.RatioOfSums(a, b, alpha)
		} else if values, zeros := withZeros(d, x); zeros {
			iv = stat.ConfidenceSequence(values, alpha)
		} else {
			iv = expInterval(d.basis(x).interval(alpha))
		}
		if d.levels == nil {
			d.levels = map[level]stat.Interval{}
		}
		d.levels[at] = iv
	}
	return iv
}

// EstimateCases estimates every case's time at once, on all CPUs. What it finds
// is what Estimate then returns.
func (d *Data) EstimateCases() {
	var xs []subject
	for _, c := range d.Cases {
		xs = append(xs, subject{c, nil, "sec/op"})
	}
	d.prepare(xs)
}

// prepare estimates what is not known yet, on all CPUs.
func (d *Data) prepare(xs []subject) {
	var todo []subject
	seen := map[subject]bool{}
	for _, x := range xs {
		if _, ok := d.known[x]; !ok && !seen[x] {
			seen[x] = true
			todo = append(todo, x)
		}
	}
	found := make([]Estimate, len(todo))
	var next int
	var mu sync.Mutex
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(todo)) {
		workers.Go(func() {
			for i := take(); i < len(todo); i = take() {
				found[i] = d.estimate(todo[i])
			}
		})
	}
	workers.Wait()
	for i, x := range todo {
		d.store(x, found[i])
	}
}

// estimate estimates all but the medians.
func (d *Data) estimate(x subject) Estimate {
	about := d.basis(x)
	if a, b, zeros := countsWithZeros(d, x); zeros {
		e := about.about
		e.Centre, e.Interval = stat.RatioOfSums(a, b, d.Alpha)
		e.Rounds, e.zeros = len(a), true
		return e
	}
	if values, zeros := withZeros(d, x); zeros {
		e := about.about
		e.Centre, e.Interval = stat.HodgesLehmann(values), stat.ConfidenceSequence(values, d.Alpha)
		e.Rounds, e.zeros = len(values), true
		return e
	}
	return estimateOf(d, about)
}

// figure returns the estimate of a subject for its verdict: with Terse without its interval,
// where the verdict does not rest on it.
func (d *Data) figure(x subject) Estimate {
	_, _, counts := countsWithZeros(d, x)
	_, zeros := withZeros(d, x)
	if !d.Terse || d.Single || counts || zeros {
		return d.about(x)
	}
	b := d.basis(x)
	e := b.about
	e.Interval = stat.Whole()
	if len(b.each) > 0 {
		e.Centre = math.Exp(stat.HodgesLehmann(b.each))
	}
	return e
}

// withZeros are the figures of a subject that is 0 in some rounds, as the share of
// something rare: it has no logarithm there, and is estimated as it stands. What is 0 in
// all is constant.
func withZeros(d *Data, x subject) ([]float64, bool) {
	if x.den != nil || d.Single || x.unit == "sec/op" { // a time of 0 is none
		return nil, false
	}
	values := d.values(x.num, x.unit)
	return values, slices.Contains(values, 0) && slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}

// countsWithZeros are the figures of the two sides of a ratio of counts one of which is 0
// in some rounds. Those rounds count like others: what happens twice as often is more
// often not 0, so that to drop them would make the sides alike.
func countsWithZeros(d *Data, x subject) (a, b []float64, zeros bool) {
	if x.den == nil || d.Single || strings.Contains(x.unit, "sec") {
		return nil, nil, false
	}
	a, b = d.Set.Counts(x.num, x.den, x.unit)
	some := func(v []float64) bool { return slices.ContainsFunc(v, func(x float64) bool { return x > 0 }) }
	return a, b, (slices.Contains(a, 0) || slices.Contains(b, 0)) && some(a) && some(b)
}

// estimateOf estimates all but the medians.
func estimateOf(d *Data, b basis) Estimate {
	e := b.about
	switch {
	case len(b.each) == 0:
		return e
	case d.Single:
		e.Centre, e.Interval = math.Exp(stat.Median(b.each)), unknown
		return e
	}
	e.Centre = math.Exp(stat.HodgesLehmann(b.each))
	e.Interval = expInterval(b.interval(d.Alpha))
	return e
}

// unknown is the interval of a single figure: it has none, which is another thing
// than one that nothing bounds.
var unknown = stat.Interval{Lo: math.NaN(), Hi: math.NaN()}

// noEstimate is the estimate without rounds.
