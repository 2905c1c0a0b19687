package claim

import (
	"math"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// An Estimate is a figure with its confidence sequence, both in base units or
// as a ratio.
type Estimate struct {
	Centre   float64 // Hodges–Lehmann estimate, of the logarithms where there are no zeros; NaN without rounds
	Medians  float64 // the median, or the ratio of the medians, for readers of benchstat
	Interval stat.Interval
	Rounds   int

	// What the interval rests on, where it is one of different code.
	Lag1        float64 // autocorrelation of a round with the next; NaN where it was not asked for
	Tau         float64 // rounds that tell as much as one independent round: 1 where they do not depend on each other
	Layouts     int     // links that the rounds used; 0 where they are not known
	LayoutShare float64 // of the variance that lies between links; NaN where it is not known
	LayoutP     float64 // p-value of there being no such share
	// Crashed counts the samples, of Samples, that gave no result although others did.
	Crashed, Samples int
	zeros            bool  // it was estimated without logarithms
	Doubt            Doubt // why the figure decides nothing; "" where it may
}

// A Doubt is why an estimate decides nothing, however narrow its interval is.
type Doubt string

// The doubts.
const (
	Crashes Doubt = "some of its samples crashed or timed out"
	BusyCPU Doubt = "the machine was busy"
)

// Half returns the relative half-width of the interval, as a difference of logarithms;
// infinite for an unbounded one.
func (e Estimate) Half() float64 {
	if e.Interval.IsEmpty() || e.Interval.Lo <= 0 || math.IsInf(e.Interval.Hi, 1) {
		return math.Inf(1)
	}
	return math.Log(e.Interval.Hi/e.Interval.Lo) / 2
}

// per converts the estimate of a cost into that of amount per cost (a throughput).
func (e Estimate) per(amount float64) Estimate {
	e.Centre, e.Medians = amount/e.Centre, amount/e.Medians
	if e.Rounds > 0 && !e.Interval.IsEmpty() {
		e.Interval = stat.Interval{Lo: amount / e.Interval.Hi, Hi: amount / e.Interval.Lo}
	}
	return e
}

// A subject is what is estimated: a case's own figures, or, with den, the ratio of two
// cases paired by round.
type subject struct {
	num, den *series.Series
	unit     string
}

type level struct {
	subject
	alpha float64
}

// noEstimate returns the estimate without rounds.
func noEstimate() Estimate {
	return Estimate{Centre: math.NaN(), Medians: math.NaN(), Interval: stat.Whole(), Lag1: math.NaN(),
		LayoutShare: math.NaN()}
}

// expInterval converts bounds of a logarithm into those of the figure.
func expInterval(iv stat.Interval) stat.Interval {
	if iv.IsEmpty() {
		return iv
	}
	return stat.Interval{Lo: math.Exp(iv.Lo), Hi: math.Exp(iv.Hi)}
}
