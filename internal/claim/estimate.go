package claim

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"memcost/internal/series"
	"memcost/internal/stat"
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
		e.Medians = d.median(x.num, x.unit)
		if x.den != nil {
			e.Medians /= d.median(x.den, x.unit)
		}
	}
	if d.known == nil {
		d.known = map[subject]Estimate{}
	}
	d.known[x] = e
	return e
}

// median is the median of a case's figures in the rounds that count.
func (d *Data) median(c *series.Series, unit string) float64 {
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
		if values, zeros := d.withZeros(x); zeros {
			iv = stat.ConfidenceSequence(values, alpha)
		} else {
			iv = expInterval(stat.ConfidenceSequence(d.logs(x), alpha))
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

// logs returns the logarithms of a subject's figures, one for each round that
// counts and in which they are positive.
func (d *Data) logs(x subject) []float64 {
	if x.den != nil {
		return d.Set.Paired(x.num, x.den, x.unit)
	}
	logs := d.values(x.num, x.unit)
	n := 0
	for _, y := range logs {
		if y > 0 {
			logs[n] = math.Log(y)
			n++
		}
	}
	return logs[:n]
}

// estimate estimates all but the medians.
func (d *Data) estimate(x subject) Estimate {
	if values, zeros := d.withZeros(x); zeros {
		return Estimate{stat.HodgesLehmann(values), math.NaN(), stat.ConfidenceSequence(values, d.Alpha), len(values)}
	}
	return d.estimateLogs(d.logs(x))
}

// withZeros are the figures of a subject that is 0 in some rounds, as the share of
// something rare: it has no logarithm there, and is estimated as it stands. What is 0 in all is constant.
func (d *Data) withZeros(x subject) ([]float64, bool) {
	if x.den != nil || d.Single || x.unit == "sec/op" { // a time of 0 is none
		return nil, false
	}
	values := d.values(x.num, x.unit)
	return values, slices.Contains(values, 0) && slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}

// estimateLogs estimates all but the medians.
func (d *Data) estimateLogs(logs []float64) Estimate {
	if len(logs) == 0 {
		return noEstimate()
	}
	if d.Single {
		return Estimate{math.Exp(stat.Median(logs)), math.NaN(), unknown, len(logs)}
	}
	return Estimate{math.Exp(stat.HodgesLehmann(logs)), math.NaN(), expInterval(stat.ConfidenceSequence(logs, d.Alpha)),
		len(logs)}
}

// unknown is the interval of a single figure: it has none, which is another thing
// than one that nothing bounds.
var unknown = stat.Interval{Lo: math.NaN(), Hi: math.NaN()}

// noEstimate is the estimate without rounds.
