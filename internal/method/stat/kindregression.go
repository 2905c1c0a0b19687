package stat

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
