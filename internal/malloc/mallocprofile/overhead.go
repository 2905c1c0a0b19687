package mallocprofile

import (
	"math"

	"memcost/internal/method/stat"
)

// Overhead is what counting costs the program: CPU time with it by CPU time without it.
type Overhead struct {
	Ratio float64 `json:"ratio"` // 0 is not measured
	Lo    float64 `json:"lo"`    // of the 95% confidence interval; 0 where the runs are too few for one
	Hi    float64 `json:"hi"`
	Runs  int     `json:"runs"` // with counting, and as many without
}

// MeasureOverhead compares the CPU times of runs with and without counting, which were made in
// random order.
func MeasureOverhead(with, without []float64) Overhead {
	o := Overhead{Runs: min(len(with), len(without))}
	ratio, iv := stat.Shift(without, with, 0.05)
	if math.IsNaN(ratio) {
		return o
	}
	o.Ratio = ratio
	if !math.IsInf(iv.Hi, 0) {
		o.Lo, o.Hi = iv.Lo, iv.Hi
	}
	return o
}
