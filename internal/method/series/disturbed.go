package series

import (
	"cmp"
	"slices"
)

// Unfit reports whether so many rounds were disturbed by other programs that this was the
// normal state of the machine. A ratio of different code is then one beside those
// programs, however narrow its interval is: the collector wants a free core, so that a
// neighbour can hit one side only.
func (s *Set) Unfit() bool { return s.voids.busy() }

// voidRounds returns the disturbed rounds of a group that are excluded.
func (s *Set) voidRounds(group int) map[int32]Void {
	g := s.voids.groups[group]
	if g == nil {
		return nil
	}
	return g.rounds
}

// Disturbed lists the disturbed rounds by round, then group.
func (s *Set) Disturbed() []Void {
	var vs []Void
	for _, g := range s.voids.groups {
		for _, v := range g.rounds {
			vs = append(vs, v)
		}
	}
	slices.SortFunc(vs, func(a, b Void) int { return cmp.Or(a.Round-b.Round, a.Group-b.Group) })
	return vs
}

// ComparisonRounds returns how many rounds all comparisons had together.
func (s *Set) ComparisonRounds() int { return s.voids.seen }

// ForeignShare returns how much of a CPU other programs used while the samples were taken.
func (s *Set) ForeignShare() float64 {
	if s.voids.wall == 0 {
		return 0
	}
	return s.voids.foreign / s.voids.wall
}

// DisturbedShare returns the share of the rounds of all comparisons that others than the
// benchmark itself disturbed.
func (s *Set) DisturbedShare() float64 {
	if s.voids.seen == 0 {
		return 0
	}
	return float64(s.voids.disturbed) / float64(s.voids.seen)
}
