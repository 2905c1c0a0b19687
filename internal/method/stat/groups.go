package stat

import (
	"math"
	"slices"
)

// Limits of TwoGroups: below leastGroups values there is no answer; the smaller group
// has at least a fifth of them and three; the groups' means are at least apart pooled
// standard deviations apart. Cutting a normal sample in its middle gives 2.6, a uniform
// one 3.5: with 7, of 1000 samples of 12, fewer than 1% are called two groups, normal,
// uniform or with outliers (TestTwoGroups).
const (
	leastGroups = 12
	apart       = 7
)

// TwoGroups reports whether values fall into two groups: such as a benchmark whose
// processes run at one of two speeds, depending on where their memory lies. It
// cuts the sorted values where the variance between the parts is greatest (Otsu
// 1979). low is the number of values in the lower group; centres are the
// medians of the two.
func TwoGroups(x []float64) (low int, centres [2]float64, ok bool) {
	n := len(x)
	if n < leastGroups || Check(x) != nil {
		return 0, centres, false
	}
	s := slices.Sorted(slices.Values(x))
	sums := make([]float64, n+1)
	for i, v := range s {
		sums[i+1] = sums[i] + v - s[0] // from the smallest on, for precision
	}
	least := max(3, (n+4)/5)
	best := -1.0
	for k := least; k <= n-least; k++ {
		d := (sums[n]-sums[k])/float64(n-k) - sums[k]/float64(k)
		if between := float64(k) * float64(n-k) * d * d; between > best {
			best, low = between, k
		}
	}
	a, b := s[:low], s[low:]
	meanA, sdA := meanSD(a)
	meanB, sdB := meanSD(b)
	pooled := math.Sqrt((float64(len(a)-1)*sdA*sdA + float64(len(b)-1)*sdB*sdB) / float64(n-2))
	return low, [2]float64{middle(a), middle(b)}, meanB-meanA > apart*pooled
}
