package stat

import "math"

// What the intervals are held to: the e-values whose exclusion they are, each at one value.

// DependentLogE returns ln of the e-value against theta where tau rounds count as one.
//
// theta more than 4√τ robust standard deviations away from the median of d is judged
// without tempering: rounds that wander give many of one sign, but not ones that agree
// among themselves so much better than with theta. Without this a ratio of 7 with a
// noise of 5% would wait for the tenth round and more because of a correlation that
// makes no difference.
func DependentLogE(d []float64, theta, tau float64) float64 {
	if !(tau > 1) || len(d) == 0 || Check(d) != nil {
		return LogE(d, theta)
	}
	centre, scale := centreScale(d)
	if math.Abs(theta-centre) >= farSpreads*math.Sqrt(tau)*scale {
		return LogE(d, theta)
	}
	p := NewEProcess(theta)
	for _, x := range d {
		p.Add(x)
	}
	return p.mix.logE(tau)
}

// LayoutInterval returns the interval of the labels' means of one comparison alone.
func LayoutInterval(d []float64, label []int, alpha float64) Interval {
	return newLayoutT(d, label).interval(alpha)
}

// LayoutLogE returns how strongly the labels' means of one comparison alone speak.
func LayoutLogE(d []float64, label []int, lo, hi float64) float64 {
	return newLayoutT(d, label).logE(lo, hi)
}
