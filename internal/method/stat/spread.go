package stat

import (
	"math"
)

// A Spread tells apart by how much kinds of machines differ, and boards of one kind: standard deviations of
// logarithms, beyond the error of measurement. NaN is what cannot be known, with one kind or with no kind
// of which there are two boards.
type KindSpread struct {
	OfKinds, OfBoards  float64
	Kinds, Boards      int
	KindsWithTwoBoards int
}

// Apart computes the two by the method of Paule and Mandel: the variance between boards from their distances to
// the mean of their kind, all kinds together; then that between kinds from the distances of the kinds' means.
func Apart(all []Board) KindSpread {
	groups := byKind(perMachine(usable(all)))
	s := KindSpread{OfKinds: math.NaN(), OfBoards: math.NaN(), Kinds: len(groups)}
	for _, g := range groups {
		s.Boards += len(g)
		if len(g) > 1 {
			s.KindsWithTwoBoards++
		}
	}
	variance, known := betweenBoards(groups)
	if known {
		s.OfBoards = math.Sqrt(variance)
	}
	if len(groups) < 2 {
		return s
	}
	var y, v []float64
	for _, g := range groups {
		k := mean(g, variance)
		y, v = append(y, k.Y), append(v, k.V)
	}
	s.OfKinds = math.Sqrt(PauleMandel(v, func(w []float64) (float64, int) { return distances(y, w), len(y) - 1 }))
	return s
}

// betweenBoards returns the variance between boards of one kind; false where no kind has two.
func betweenBoards(groups [][]Board) (variance float64, known bool) {
	var v []float64
	var several [][]Board
	for _, g := range groups {
		if len(g) > 1 {
			several = append(several, g)
			for _, b := range g {
				v = append(v, b.V)
			}
		}
	}
	if len(several) == 0 {
		return 0, false
	}
	return PauleMandel(v, func(w []float64) (sum float64, freedom int) {
		for _, g := range several {
			y := make([]float64, len(g))
			for i, b := range g {
				y[i] = b.Y
			}
			sum += distances(y, w[:len(g)])
			freedom += len(g) - 1
			w = w[len(g):]
		}
		return sum, freedom
	}), true
}

// distances returns the weighted sum of the squares of distances from the weighted mean.
func distances(y, w []float64) float64 {
	var sum, all float64
	for i := range y {
		sum, all = sum+w[i]*y[i], all+w[i]
	}
	squares := 0.0
	for i := range y {
		squares += w[i] * (y[i] - sum/all) * (y[i] - sum/all)
	}
	return squares
}
