// What claims already call of statistics that come with the next commits; none of it
// changes a verdict yet.
package stat

import "math"

func RatioOfSums(a, b []float64, al float64) (float64, Interval) { return math.NaN(), Whole() }

type Regression struct {
	Slope    float64
	Interval Interval
	P        float64
	Decides  bool
}

func Regress(x, y, v []float64, alpha float64) Regression { return Regression{Interval: Whole()} }
func LogEAgainst(d []float64, lo, hi float64) float64     { return 0 }
