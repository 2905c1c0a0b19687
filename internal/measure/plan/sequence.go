package plan

import (
	"math/rand/v2"
	"slices"
)

// pairsOf returns the pairs of each group.
func pairsOf(p *Plan) map[int][][2]int {
	of := map[int][][2]int{}
	for _, pr := range p.Pairs {
		g := p.Cases[pr[0]].Group
		of[g] = append(of[g], pr)
	}
	return of
}

// sequence orders the cases of a group so that pairs stand next to each other. The pairs come
// in a random order. Of each, a case that has no place yet is put next to the other, on a side
// that a coin chooses, or both are put at the end; a case with several pairs has the
// others of them around it.
//
// Every choice is as likely as the one that gives the reverse order, so that of any two cases
// either is the first with the same probability.
func sequence(rng *rand.Rand, cases []int, pairs [][2]int) []int {
	order := slices.Clone(pairs)
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	// Runs of cases that are next to each other; joined at the end, in any order.
	var runs [][]int
	at := map[int]int{} // the run of a case
	beside := func(c, partner int) {
		r := at[partner]
		i := slices.Index(runs[r], partner) + rng.IntN(2)
		runs[r], at[c] = slices.Insert(runs[r], i, c), r
	}
	for _, pr := range order {
		_, a := at[pr[0]]
		_, b := at[pr[1]]
		switch {
		case a && !b:
			beside(pr[1], pr[0])
		case b && !a:
			beside(pr[0], pr[1])
		case !a && !b:
			if rng.IntN(2) == 1 {
				pr[0], pr[1] = pr[1], pr[0]
			}
			at[pr[0]], at[pr[1]] = len(runs), len(runs)
			runs = append(runs, []int{pr[0], pr[1]})
		}
	}
	for _, c := range cases {
		if _, known := at[c]; !known {
			runs = append(runs, []int{c})
		}
	}
	rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	return slices.Concat(runs...)
}

// Together is the number of arms that a run measures in one round: so that no more than three
// other samples stand between the two sides of a comparison.
const Together = 4

// inRound is the number of arms of a suite that one round measures.
func inRound(p *Plan, suite int) int {
	arms := len(p.ArmsOf(suite))
	if p.Options.Together > 1 {
		return min(arms, p.Options.Together)
	}
	return arms
}

// turns is the number of rounds after which each arm of a suite had its turn.
func turns(p *Plan, suite int) int {
	n := inRound(p, suite)
	if n < 2 {
		return 1
	}
	return (len(p.ArmsOf(suite)) - 1 + n - 2) / (n - 1)
}

// Turns returns the number of rounds after which every arm had its turn. Of more than
// Options.Together a round has the first, with which the others are compared, and some of the
// others, those next to each other together.
func (p *Plan) Turns() int {
	most := 1
	for s := range p.Suites {
		most = max(most, turns(p, s))
	}
	return most
}
