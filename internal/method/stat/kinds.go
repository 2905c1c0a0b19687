// This part of the package tells what machines have in common from what one of them has: figures of boards that are
// nested in kinds of machines, the line through the kinds, and how far kinds, boards of one kind and samples of
// one board differ. It is pure.
//
// Boards of one kind share their processor, so that they are not independent of each other: ten of them are
// one kind, whose mean is known a little better.

package stat

import (
	"math"
	"slices"
)

// A Board is one figure of one data set of one machine. X and Y are logarithms.
type Board struct {
	Kind    string // of machine
	Machine string // that it is one of: data sets of one machine are one board
	X, Y    float64
	V       float64 // variance of Y's error of measurement
}

// A Kind is the mean of the boards of one kind.
type Kind struct {
	Name   string
	Boards int
	X, Y   float64
	V      float64 // of Y: the boards' errors and what one board has that another has not
}

// perMachine makes one board of the data sets of each machine: their mean. Their errors may come from the same
// disturbances, so that the mean is taken to be no more exact than one of them.
func perMachine(all []Board) []Board {
	var out []Board
	n := map[[2]string]float64{}
	for _, b := range all {
		key := [2]string{b.Kind, b.Machine}
		at := slices.IndexFunc(out, func(o Board) bool { return o.Kind == b.Kind && o.Machine == b.Machine })
		if at < 0 {
			at, out = len(out), append(out, Board{Kind: b.Kind, Machine: b.Machine})
		}
		n[key]++
		o, k := &out[at], n[key]
		o.X, o.Y, o.V = o.X+(b.X-o.X)/k, o.Y+(b.Y-o.Y)/k, o.V+(b.V-o.V)/k
	}
	return out
}

// byKind returns the boards of each kind, in the order of the first of each.
func byKind(boards []Board) [][]Board {
	var out [][]Board
	for _, b := range boards {
		at := slices.IndexFunc(out, func(k []Board) bool { return k[0].Kind == b.Kind })
		if at < 0 {
			at, out = len(out), append(out, nil)
		}
		out[at] = append(out[at], b)
	}
	return out
}

// mean returns a kind, of whose boards one differs from another by a variance beyond their errors.
func mean(boards []Board, apart float64) Kind {
	k := Kind{Name: boards[0].Kind, Boards: len(boards)}
	n := float64(len(boards))
	for _, b := range boards {
		k.X, k.Y, k.V = k.X+b.X/n, k.Y+b.Y/n, k.V+(b.V+apart)/(n*n)
	}
	return k
}

// usable leaves out what no logarithm of a figure is.
func usable(all []Board) []Board {
	return slices.DeleteFunc(slices.Clone(all), func(b Board) bool {
		sum := b.X + b.Y + b.V
		return math.IsNaN(sum) || math.IsInf(sum, 0) || b.V < 0
	})
}

// A Fit is the line through the kinds of machines.
type Fit struct {
	Regression
	Each   []Kind // in the order of their first boards
	Boards int
}

// What a claim that Y falls as X rises is worth.
const (
	Holds     = "holds"
	Fails     = "fails"
	Undecided = "undecided"
)

// Regress fits the line through the kinds, one value for each: see [stat.Regress].
func RegressKinds(all []Board, alpha float64) Fit {
	groups := byKind(perMachine(usable(all)))
	apart, _ := betweenBoards(groups)
	var f Fit
	var x, y, v []float64
	for _, g := range groups {
		k := mean(g, apart)
		f.Each, f.Boards = append(f.Each, k), f.Boards+k.Boards
		x, y, v = append(x, k.X), append(y, k.Y), append(v, k.V)
	}
	f.Regression = Regress(x, y, v, alpha)
	return f
}

// Falls returns whether Y falls as X rises: decided where the interval of the slope and the permutation of the
// kinds both say so. The interval assumes that what a kind has besides its strength is about normal, the
// permutation does not.
func (f Fit) Falls(alpha float64) string {
	switch {
	case !f.Decides || f.P > alpha:
		return Undecided
	case f.Interval.Hi < 0:
		return Holds
	case f.Interval.Lo > 0:
		return Fails
	}
	return Undecided
}

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

// TwoWay returns the time per operation of each side, in seconds, from its times in each
// slice: all sides have as many slices, and the k-th of them stand next to each other in time.
//
// It is a robust two-way fit of ln time: side + slice. The difference of two sides is the
// Hodges–Lehmann estimate of their differences in each slice, and a side's effect is the mean of
// its differences to all: with two sides, the ratio of what is returned is exp of the
// Hodges–Lehmann estimate of the ln ratios of the slices. The level is that of the slices' means.
func TwoWay(times [][]float64) []float64 {
	sides, all := len(times), len(times[0])
	level := make([]float64, all)
	for _, of := range times {
		for k, v := range of {
			level[k] += math.Log(v) / float64(sides)
		}
	}
	middle := HodgesLehmann(level)
	out := make([]float64, sides)
	d := make([]float64, all)
	for i := range times {
		for j := range i {
			for k := range d {
				d[k] = math.Log(times[i][k]) - math.Log(times[j][k])
			}
			diff := HodgesLehmann(d) / float64(sides)
			out[i], out[j] = out[i]+diff, out[j]-diff
		}
	}
	for i := range out {
		out[i] = math.Exp(middle + out[i])
	}
	return out
}

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
