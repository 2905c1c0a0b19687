package search

import (
	"errors"
	"fmt"
	"slices"
)

// A search finds up to which number a question is answered with yes. It asks
// about several numbers at a time, because a step (a build and a run) costs far
// more than a number.
type search struct {
	lo, hi int64 // the smallest and the largest number that may be tried
	width  int   // numbers to a step, after the first
	seen   map[int64]bool
	fickle []int64 // answered once with yes and once with no
}

func newSearch(lo, hi int64, width int) *search {
	return &search{lo: lo, hi: hi, width: width, seen: map[int64]bool{}}
}

// next returns the numbers to try, ascending; none when the search has ended. The first
// step takes both ends, all powers of two and their neighbours: most limits are at one,
// so that most searches end with it, and an answer that alternates with size is
// detected. Later steps divide the open interval evenly.
func (s *search) next() []int64 {
	if len(s.seen) == 0 {
		points := []int64{s.lo, s.hi}
		for p := int64(1); p <= s.hi; p *= 2 {
			points = append(points, p-1, p, p+1)
		}
		points = slices.DeleteFunc(points, func(n int64) bool { return n < s.lo || n > s.hi })
		slices.Sort(points)
		return slices.Compact(points)
	}
	yes, no := s.bracket()
	if no > s.hi { // never answered with no
		return nil
	}
	var points []int64
	for i := 1; i <= s.width; i++ {
		n := yes + (no-yes)*int64(i)/int64(s.width+1)
		if n > yes && n < no && !slices.Contains(points, n) {
			points = append(points, n)
		}
	}
	return points
}

// record records an answer. The first one about a number counts.
func (s *search) record(n int64, yes bool) {
	if before, ok := s.seen[n]; !ok {
		s.seen[n] = yes
	} else if before != yes {
		s.fickle = append(s.fickle, n)
	}
}

// bracket returns the smallest number answered with no (hi+1 if none), and the largest
// below it answered with yes (lo-1 if none).
func (s *search) bracket() (yes, no int64) {
	yes, no = s.lo-1, s.hi+1
	for n, ok := range s.seen {
		if !ok {
			no = min(no, n)
		}
	}
	for n, ok := range s.seen {
		if ok && n < no {
			yes = max(yes, n)
		}
	}
	return yes, no
}

// laterYes returns the numbers answered with yes beyond the first no, ascending: the
// question has no single limit.
func (s *search) laterYes() []int64 {
	_, no := s.bracket()
	var out []int64
	for n, ok := range s.seen {
		if ok && n > no {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// maxSteps is more than any search needs: each step divides what is open by its
// width+1, which is at least two.
const maxSteps = 64

var errEndless = errors.New("the search does not end: numbers that were asked about are not answered")

// solve runs searches in lockstep until all have ended. ask tries the numbers of each
// search, and calls tell with the answers.
func solve(searches []*search, ask func(step int, points [][]int64) error) error {
	for step := 0; ; step++ {
		points := make([][]int64, len(searches))
		open := 0
		for i, s := range searches {
			points[i] = s.next()
			open += len(points[i])
		}
		if open == 0 {
			return nil
		}
		if step == maxSteps {
			return errEndless
		}
		if err := ask(step, points); err != nil {
			return fmt.Errorf("step %d of the bisection: %w", step+1, err)
		}
	}
}

// width is the number of sizes of a site in one step. More make the steps fewer
// and the programs larger; with 24, ten megabytes take six steps.
const width = 24
