package series

import (
	"math"
	"slices"
)

// Valid returns the figures of one unit in the rounds that count, in round
// order. Figures that are not finite are left out.
func (s *Set) Valid(sr *Series, unit string) []float64 {
	if sr == nil {
		return nil
	}
	void := s.voidRounds(sr.Group)
	var out []float64
	for i, v := range sr.Values(unit) {
		if !has(void, sr.Rounds[i]) && !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

// Paired returns ln(num) − ln(den) of one unit for each round in which both have a
// positive figure and neither is excluded, in round order.
func (s *Set) Paired(num, den *Series, unit string) []float64 {
	var d []float64
	s.Join([]*Series{num, den}, unit, func(_ int32, v []float64) {
		d = append(d, math.Log(v[0])-math.Log(v[1]))
	})
	return d
}

// Counts returns the figures of two series in the rounds in which both have a finite one
// that is not negative, zeros included, and neither is excluded.
func (s *Set) Counts(num, den *Series, unit string) (a, b []float64) {
	s.join([]*Series{num, den}, unit, func(v float64) bool { return v >= 0 }, func(_ int32, v []float64) {
		a, b = append(a, v[0]), append(b, v[1])
	})
	return a, b
}

// Link returns the index of the link that a series ran in a round; false where it has no
// sample in it, or one that names no link.
func (sr *Series) Link(round int32) (int, bool) {
	at, ok := slices.BinarySearch(sr.Rounds, round)
	links := sr.Values(UnitLayout)
	if !ok || at >= len(links) || math.IsNaN(links[at]) {
		return 0, false
	}
	return int(links[at]), true
}

// has reports whether a round is excluded. It does no lookup in an empty map, the
// usual case.
func has(rounds map[int32]Void, round int32) bool {
	if len(rounds) == 0 {
		return false
	}
	return rounds[round].Excluded
}

// Join calls fn with the round and the figures of all members, in their order, for each
// round in which every member has a positive, finite figure and none is excluded. The
// slice is reused.
func (s *Set) Join(members []*Series, unit string, fn func(round int32, v []float64)) {
	s.join(members, unit, func(v float64) bool { return v > 0 }, fn)
}

func (s *Set) join(members []*Series, unit string, good func(v float64) bool, fn func(round int32, v []float64)) {
	for _, m := range members {
		if m == nil {
			return
		}
	}
	values, void := make([][]float64, len(members)), make([]map[int32]Void, len(members))
	for i, m := range members {
		values[i], void[i] = m.Values(unit), s.voidRounds(m.Group)
	}
	at := make([]int, len(members))
	row := make([]float64, len(members))
	for _, round := range members[0].Rounds {
		ok := true
		for i, m := range members {
			for at[i] < len(m.Rounds) && m.Rounds[at[i]] < round {
				at[i]++
			}
			vs := values[i]
			if at[i] >= len(m.Rounds) || m.Rounds[at[i]] != round || at[i] >= len(vs) || has(void[i], round) {
				ok = false
				continue
			}
			row[i] = vs[at[i]]
			ok = ok && good(row[i]) && !math.IsInf(row[i], 0)
		}
		if ok {
			fn(round, row)
		}
	}
}
