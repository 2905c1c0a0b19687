package series

import (
	"cmp"
	"slices"
)

// Unfit reports whether so many rounds were disturbed that disturbance is the
// normal state of the machine. No round is void then: what would be left is no
// better, and may be nothing. The verdicts stay sound, for the rule is as blind
// to the arm as that for a single round; the intervals are wide.
func (s *Set) Unfit() bool {
	return float64(s.voids.disturbed) > MaxVoidShare*float64(s.voids.seen)
}

// voidRounds are the rounds that do not count for the series of a group.
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

// DisturbedShare is the share of all rounds of all comparisons that was
// disturbed.
func (s *Set) DisturbedShare() float64 {
	if s.voids.seen == 0 {
		return 0
	}
	return float64(s.voids.disturbed) / float64(s.voids.seen)
}
