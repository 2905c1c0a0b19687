package certify

import (
	"fmt"
	"math"
)

// Slowdowns are the known ones: 0.01 is 1%.
func Slowdowns() []float64 { return []float64{0.005, 0.01, 0.02, 0.05, 0.10} }

// The sides of the comparisons of a batch: an original, its identical copy, and a copy for
// each known slowdown.
const (
	original = 0
	copied   = 1
	slower   = 2 // and those after it
)

func armName(arm int) string {
	switch arm {
	case original:
		return "original"
	case copied:
		return "copy"
	}
	return fmt.Sprintf("slower by %g%%", 100*Slowdowns()[arm-slower])
}

// iterations returns how many iterations a side runs in the name of n.
func iterations(n int64, arm int) int64 {
	if arm < slower {
		return n
	}
	return int64(math.Round(float64(n) * (1 + Slowdowns()[arm-slower])))
}

// truth returns the true ratio of a side to the original: exactly what its iterations are to
// the original's.
func truth(n int64, arm int) float64 { return float64(iterations(n, arm)) / float64(n) }
