package claim

import (
	"fmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// A Need is how many rounds the verdicts on claims take.
type Need struct {
	Claims int `json:"claims"` // that have cases here
	// Least is the number of rounds before which nothing is decided.
	Least int `json:"least_rounds"`
	// Most is the number of rounds that refute the largest claim where it fails at one of its
	// places alone; where it fails at all of them alike, Least do. Places is their number.
	Most   int    `json:"most_rounds"`
	Claim  string `json:"largest_claim,omitempty"`
	Places int    `json:"places,omitempty"`
	// Others is the number of rounds of a case that no claim is about: those that every case
	// has where there are claims, and where there are none, or configurations are compared,
	// those that an interval takes.
	Others int `json:"other_rounds"`
	// Rounds are those of each case that a claim is about, by study or package and name.
	Rounds map[[2]string]int `json:"-"`
}

// Rounds returns how many rounds the claims of suites take at error rate alpha. A claim over m
// cases, or pairs of them, is refuted by the mean of their e-values: one alone needs m times
// the evidence, that of a claim on it at alpha/m.
//
// With compared, configurations are compared in every case.
func Rounds(suites []AskedStudy, alpha float64, compared bool) Need {
	n := Need{Least: stat.MinSidedRounds(alpha), Others: stat.MinRounds(alpha), Rounds: map[[2]string]int{}}
	n.Most = n.Least
	for _, s := range suites {
		for _, c := range s.Study.Claims {
			places, about := s.places(c)
			if places == 0 {
				continue
			}
			n.Claims++
			rounds := stat.MinSidedRounds(alpha / float64(places))
			for _, x := range about {
				at := [2]string{s.Name, x.Case}
				n.Rounds[at] = max(n.Rounds[at], rounds)
			}
			if places > n.Places {
				n.Most, n.Claim, n.Places = max(n.Most, rounds), s.Name+" "+c.ID, places
			}
		}
	}
	switch {
	case compared:
		n.Least, n.Most = n.Others, max(n.Others, n.Most)
	case n.Claims > 0:
		n.Others = plan.FirstRounds
	default:
		n.Least, n.Most = n.Others, n.Others
	}
	return n
}

// Of returns the rounds of a case.
func (n Need) Of(suite, name string) int { return max(n.Others, n.Rounds[[2]string{suite, name}]) }

// places returns at how many places a claim is judged on one configuration, and the cases
// that it is about.
func (s AskedStudy) places(c language.Claim) (places int, about []*series.Series) {
	for _, cases := range s.Cases {
		num, _ := Sides(c, cases)
		switch c.Kind {
		case language.Ratio:
			pairs, _, _ := s.pairs(c, false)
			for _, p := range pairs {
				about = append(about, p.Num, p.Den)
			}
			return len(pairs), about
		case language.Value:
			places = len(num)
		default: // an exponent, or a comparison of machines, over all cases together
			places = min(len(num), 1)
		}
		if places > 0 {
			return places, num
		}
	}
	return 0, nil
}

// Says says which rounds verdicts take.
func (n Need) Says() string {
	if n.Most == n.Least {
		return fmt.Sprintf("the %d rounds that a verdict takes", n.Least)
	}
	return fmt.Sprintf("the rounds that verdicts take (%d, and up to %d where a claim is over several cases)", n.Least,
		n.Most)
}
