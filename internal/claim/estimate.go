package claim

import (
	"math"

	"memcost/internal/series"
	"memcost/internal/stat"
)

// An Estimate is a figure with its confidence sequence, both in base units or
// as a ratio.
type Estimate struct {
	Centre   float64 // exp of the Hodges–Lehmann estimate of the logarithms; NaN without rounds
	Medians  float64 // the median, or the ratio of the medians, for readers of benchstat
	Interval stat.Interval
	Rounds   int
}

// Half is the relative half-width of the interval, as a difference of
// logarithms; infinite when nothing bounds it.
func (e Estimate) Half() float64 {
	if e.Interval.IsEmpty() || e.Interval.Lo <= 0 || math.IsInf(e.Interval.Hi, 1) {
		return math.Inf(1)
	}
	return math.Log(e.Interval.Hi/e.Interval.Lo) / 2
}

// Estimate estimates a case's own figure. Its interval assumes rounds that
// scatter symmetrically about a fixed centre.
func (d *Data) Estimate(s *series.Series, unit string) Estimate {
	logs, _ := d.logs(s, unit, "")
	return d.estimate(logs)
}

// Ratio estimates the ratio of two cases, paired by round.
func (d *Data) Ratio(num, den *series.Series, unit string) Estimate {
	e := d.estimate(d.Set.Paired(num, den, unit))
	if e.Rounds > 0 {
		e.Medians = stat.Median(d.values(num, unit)) / stat.Median(d.values(den, unit))
	}
	return e
}

func (d *Data) estimate(logs []float64) Estimate {
	if len(logs) == 0 {
		return Estimate{Centre: math.NaN(), Medians: math.NaN(), Interval: stat.Whole()}
	}
	median := math.Exp(stat.Median(logs))
	if d.Published {
		return Estimate{median, median, stat.Whole(), len(logs)}
	}
	return Estimate{math.Exp(stat.HodgesLehmann(logs)), median, expInterval(stat.ConfidenceSequence(logs, d.Alpha)), len(logs)}
}
