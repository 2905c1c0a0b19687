package evidence

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/units"
)

// A Copy is how far a case and its own copy are apart in a typical round: median |ln ratio|.
type Copy struct {
	Case   string
	Spread float64
}

// Sentence says how far two identical copies were apart, and how often the
// machine was disturbed.
func (t *Timeline) Sentence(copies []Copy, rounds int) string {
	say := units.Plural(rounds, "round")
	switch n := len(t.Disturbed); {
	case n == 0:
		say += ", none disturbed"
	case t.PerPoint > 1:
		say += fmt.Sprintf(", disturbed in %d of %d stretches", n, len(t.Points))
	default:
		say += ", " + units.Plural(n, "round") + " disturbed"
	}
	var apart []string
	for _, x := range copies {
		for _, l := range t.Doubles {
			if strings.HasPrefix(l.Case, x.Case) {
				apart = append(apart, units.Percent(x.Spread))
			}
		}
	}
	if len(apart) > 0 {
		say += "; identical copies are " + strings.Join(slices.Compact(apart), " and ") + " apart in a typical round"
	}
	return say
}

// StripsSentence says which cases run at two speeds.
func (e *Evidence) StripsSentence() string {
	var two []string
	n := 0
	for _, s := range e.Strips {
		n = max(n, s.N)
		if s.Groups != nil {
			two = append(two, s.Case)
		}
	}
	say := "No case runs at two speeds"
	if n < 12 {
		say = "Too few processes to tell if a case runs at two speeds"
	}
	switch {
	case len(two) == 1:
		say = two[0] + " runs at two speeds: its processes fall into two groups"
	case len(two) > 1:
		say = units.Plural(len(two), "case") + " run at two speeds: their processes fall into two groups"
	}
	return say
}

// NarrowingSentence says how wide the intervals were when something could first
// be said, and at the end.
func (e *Evidence) NarrowingSentence() string {
	first, last, from, to := 0.0, 0.0, 0, 0
	for _, x := range e.Narrowing {
		n := len(x.Rounds)
		if n == 0 {
			continue
		}
		half := func(i int) float64 { return math.Log(x.Hi[i]/x.Lo[i]) / 2 }
		first, last = max(first, half(0)), max(last, half(n-1))
		from, to = x.Rounds[0], max(to, x.Rounds[n-1])
	}
	if to == 0 {
		return "No ratio has an interval yet"
	}
	pm := func(half float64) string { return units.PlusMinus(1, math.Exp(-half), math.Exp(half)) }
	if from == to {
		return "After " + units.Plural(to, "round") + " the widest interval of a ratio is " + pm(last)
	}
	return "The widest interval of a ratio fell from " + pm(first) + " after " + units.Plural(from, "round") + " to " +
		pm(last) + " after " + units.Plural(to, "round")
}
