package result

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
)

// Sentence says how many rounds there were, of which excluded says what was excluded, and how
// far two identical copies were apart.
func (t *Timeline) Sentence(copies []Noise, rounds int, excluded string) string {
	say := units.Plural(rounds, "round") + "; " + excluded
	var apart []string
	for _, x := range copies {
		for _, l := range t.Doubles {
			if strings.HasPrefix(l.Case, x.Case) {
				apart = append(apart, units.Percent(math.Expm1(float64(x.Spread))))
			}
		}
	}
	if len(apart) > 0 {
		say += "; identical code differs by " + strings.Join(slices.Compact(apart), " and ") + " in the median round"
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
		say = "Too few processes to see whether a case runs at two speeds"
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
		n := len(x.Points)
		if n == 0 {
			continue
		}
		width := func(i int) float64 { return float64(x.Points[i][2] / x.Points[i][1]) }
		first, last = max(first, width(0)), max(last, width(n-1))
		from, to = int(x.Points[0][0]), max(to, int(x.Points[n-1][0]))
	}
	if to == 0 {
		return "No ratio has an interval yet"
	}
	dependent, linked := 0, 0
	for _, x := range e.Narrowing {
		if x.Rests.Dependent() {
			dependent++
		}
		if x.Rests.Linked() {
			linked++
		}
	}
	why := ""
	if dependent > 0 {
		why += fmt.Sprintf("; the rounds of %s depend on each other", units.Plural(dependent, "ratio"))
	}
	if linked > 0 {
		why += fmt.Sprintf("; links matter to %s", units.Plural(linked, "ratio"))
	}
	if from == to {
		return "After " + units.Plural(to, "round") + " the upper end of the widest interval of a ratio is " +
			units.Digits(last) + " times its lower end" + why
	}
	return "The widest interval of a ratio narrowed: upper over lower end fell from " + units.Digits(first) +
		" after " + units.Plural(from, "round") + " to " + units.Digits(last) + " after " + units.Plural(to, "round") +
		why
}
