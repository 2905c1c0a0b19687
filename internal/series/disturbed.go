package series

import (
	"cmp"
	"slices"
)

// Unfit reports whether so many rounds were disturbed that disturbance is the normal
// state of the machine. Then no round is excluded: the others would be no better, and
// might be none. The verdicts stay sound, for the rule is as blind to the configuration
// as that for a single round; the intervals are wide.
func (s *Set) Unfit() bool {
	return float64(s.voids.disturbed) > MaxVoidShare*float64(s.voids.seen)
}

// voidRounds returns the excluded rounds of a group, with the reason.
func (s *Set) voidRounds(group int) map[int32]exclusion {
	if s.Unfit() {
		return nil
	}
	return s.voids.reasons[group]
}

// Disturbed lists the disturbed rounds by round, then group. They are void
// unless the machine was Unfit.
func (s *Set) Disturbed() []Void {
	var vs []Void
	for group, rounds := range s.voids.reasons {
		for round, why := range rounds {
			vs = append(vs, Void{group, int(round), why.reason, why.cause})
		}
	}
	slices.SortFunc(vs, func(a, b Void) int { return cmp.Or(a.Round-b.Round, a.Group-b.Group) })
	return vs
}

// ComparisonRounds returns how many rounds all comparisons had together.
func (s *Set) ComparisonRounds() int { return s.voids.seen }

// DisturbedShare returns the share of disturbed rounds among all rounds of all
// comparisons.
func (s *Set) DisturbedShare() float64 {
	if s.voids.seen == 0 {
		return 0
	}
	return float64(s.voids.disturbed) / float64(s.voids.seen)
}
