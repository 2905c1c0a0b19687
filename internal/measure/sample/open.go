package sample

import (
	"math"
	"slices"

	"memcost/internal/method/claim"
)

// A cell is a case on an arm: what is measured or left out.
type cell struct{ c, arm int }

// A question is something that is still to be found out, and how many more rounds of which
// cells that should take.
type question struct {
	cells  []cell
	rounds []float64 // parallel to cells; +Inf: not to be expected
	sec    float64   // what they cost
	early  bool      // nothing is known yet of how many rounds it takes
	blind  bool      // rounds lead to a first interval, and what follows is not known
}

type suiteCase struct {
	suite int
	name  string
}

// join adds the cells of a question.
func (q *question) join(more question) {
	q.cells, q.rounds = append(q.cells, more.cells...), append(q.rounds, more.rounds...)
	q.blind = q.blind || more.blind
}

// add adds a cell, or takes the greater number of rounds where it is there.
func (q *question) add(at cell, rounds float64) {
	if i := slices.Index(q.cells, at); i >= 0 {
		q.rounds[i] = max(q.rounds[i], rounds)
		return
	}
	q.cells, q.rounds = append(q.cells, at), append(q.rounds, rounds)
}

// openState is what is still to be found out after some rounds.
type openState struct {
	live            map[cell]bool // what the next round measures
	asked           int           // claims and comparisons of arms that are open
	groups          int           // cells that can be measured at all
	claims, decided int
	precision       float64         // widest half-width of an estimate that is not precise enough yet
	judged          []*claim.Judged // the suites, on their first arm
	answering       []question      // the intervals of the figures that answer the studies
	// what is to be found out in the end: claims, comparisons, and the rounds of each cell
	questions []question
}

func (o openState) add(q question) {
	for _, at := range q.cells {
		o.live[at] = true
	}
}

// addNext makes the quickest of the questions live that is not yet. Their order is theirs.
func (o openState) addNext(sorted []question) {
	for _, q := range sorted {
		rest := slices.DeleteFunc(slices.Clone(q.cells), func(at cell) bool { return o.live[at] })
		if len(rest) > 0 && !math.IsInf(q.sec, 1) {
			o.add(q)
			return
		}
	}
}
