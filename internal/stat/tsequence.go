package stat

import "math"

// tStar is the squared t statistic at which the mixture is tightest.
const tStar = 20

// TSequence returns the Gaussian-mixture t confidence sequence for the mean of
// d, the cross-check of [ConfidenceSequence]. With c = t*/(−2 ln α + ln(1 − 2 ln α)),
// t* = 20, and k = ((n+c)/(c α²))^(1/n) its half-width around the mean is
//
//	s √( ((n−1)/n) (k−1) / (1 − k c/(n+c)) )
//
// where s is the sample standard deviation; it is infinite where the denominator
// is not positive, for fewer than two rounds, when alpha is outside (0, 1), and
// when [Check] refuses a value. It inverts the scale-invariant e-process
// √(c/(n+c)) · ((1 + t²/(n−1)) / (1 + c/(n+c) · t²/(n−1)))^(n/2) of Lai (1976);
// see Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for
// Gaussian means with unknown variance" (2023). Unlike the e-process of this
// package it assumes independent normal rounds.
func TSequence(d []float64, alpha float64) Interval {
	if len(d) < 2 || !(alpha > 0 && alpha < 1) || Check(d) != nil {
		return Whole()
	}
	factor := tFactor(len(d), alpha)
	if math.IsInf(factor, 1) {
		return Whole()
	}
	mean, sd := meanSD(d)
	return Interval{mean - factor*sd, mean + factor*sd}
}

// tFactor returns the half-width of [TSequence] in standard deviations.
func tFactor(n int, alpha float64) float64 {
	logAlpha := math.Log(alpha)
	c := tStar / (-2*logAlpha + math.Log(1-2*logAlpha))
	size := float64(n)
	k := math.Exp((math.Log((size+c)/c) - 2*logAlpha) / size)
	denominator := 1 - k*c/(size+c)
	if !(denominator > 0) {
		return math.Inf(1)
	}
	return math.Sqrt((size - 1) / size * (k - 1) / denominator)
}

// meanSD returns the mean and the sample standard deviation of at least two
// values. Two passes: the differences may be tiny beside their mean. Equal
// values give exactly their value and 0.
func meanSD(d []float64) (mean, sd float64) {
	for _, x := range d {
		mean += (x - d[0]) / float64(len(d))
	}
	mean += d[0]
	var squares float64
	for _, x := range d {
		squares += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(squares / float64(len(d)-1))
}
