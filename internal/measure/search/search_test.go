package search

import (
	"errors"
	"slices"
	"testing"
)

// run solves one search with an oracle, and counts the steps and the questions.
func run(t *testing.T, s *search, oracle func(int64) bool) (steps, asked int) {
	t.Helper()
	err := solve([]*search{s}, func(step int, points [][]int64) error {
		steps = step + 1
		asked += len(points[0])
		if !slices.IsSorted(points[0]) {
			t.Errorf("step %d asks about %v, not ascending", step, points[0])
		}
		for _, n := range points[0] {
			if n < s.lo || n > s.hi {
				t.Errorf("step %d asks about %d, outside %d..%d", step, n, s.lo, s.hi)
			}
			if _, repeated := s.seen[n]; repeated {
				t.Errorf("step %d asks about %d again", step, n)
			}
			s.record(n, oracle(n))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps, asked
}

func TestSearchFindsEveryLimit(t *testing.T) {
	for _, width := range []int{1, 2, 24} {
		for limit := int64(0); limit <= 130; limit++ {
			s := newSearch(1, 129, width)
			run(t, s, func(n int64) bool { return n <= limit })
			if yes, no := s.bracket(); yes != min(limit, 129) || no != min(limit, 129)+1 {
				t.Errorf("width %d: limit %d is found between %d and %d", width, limit, yes, no)
			}
			if len(s.laterYes()) > 0 || len(s.fickle) > 0 {
				t.Errorf("width %d: a single limit %d is said to be none", width, limit)
			}
		}
	}
}

func TestSearchSteps(t *testing.T) {
	for _, c := range []struct {
		limit      int64
		width      int
		steps, max int
	}{
		{128 << 10, width, 1, 80}, // at a power of two the first step is enough
		{64<<10 - 1, width, 1, 80},
		{10 << 20, width, 6, 200},
		{10 << 20, 1, 24, 110}, // plain bisection of 8..16 MiB
		{32 << 20, width, 1, 80},
		{0, width, 1, 80},
	} {
		s := newSearch(1, 32<<20, c.width)
		steps, asked := run(t, s, func(n int64) bool { return n <= c.limit })
		if yes, _ := s.bracket(); yes != c.limit || steps > c.steps || asked > c.max {
			t.Errorf("limit %d with width %d: found %d in %d steps with %d questions", c.limit, c.width, yes, steps,
				asked)
		}
	}
}

// On the stack up to 1000, again from 4000 to 5000: the limit is the first, and
// that it is not the only one is seen.
func TestSearchNotMonotone(t *testing.T) {
	s := newSearch(1, 1<<20, width)
	run(t, s, func(n int64) bool { return n <= 1000 || n >= 4000 && n <= 5000 })
	if yes, no := s.bracket(); yes != 1000 || no != 1001 {
		t.Errorf("found between %d and %d", yes, no)
	}
	if laterYes := s.laterYes(); !slices.Equal(laterYes, []int64{4095, 4096, 4097}) {
		t.Errorf("beyond the limit it is yes again at %v", laterYes)
	}
}

// Odd sizes yes, even ones no: there is an end all the same.
func TestSearchOfNoise(t *testing.T) {
	s := newSearch(1, 1<<20, width)
	run(t, s, func(n int64) bool { return n%2 == 1 })
	if yes, no := s.bracket(); yes != 1 || no != 2 {
		t.Errorf("found between %d and %d", yes, no)
	}
	if len(s.laterYes()) == 0 {
		t.Error("nothing is said of the larger sizes with yes")
	}
}

func TestSearchKeepsTheFirstAnswer(t *testing.T) {
	s := newSearch(1, 10, 1)
	s.record(5, true)
	s.record(5, false)
	s.record(7, false)
	s.record(7, false)
	if yes, no := s.bracket(); yes != 5 || no != 7 || !slices.Equal(s.fickle, []int64{5}) {
		t.Errorf("between %d and %d, fickle %v", yes, no, s.fickle)
	}
}

func TestSearchWithoutAnswersEnds(t *testing.T) {
	steps := 0
	err := solve([]*search{newSearch(1, 1000, 4)}, func(int, [][]int64) error { steps++; return nil })
	if !errors.Is(err, errEndless) || steps != maxSteps {
		t.Errorf("after %d steps: %v", steps, err)
	}
	broken := errors.New("broken")
	if err := solve([]*search{newSearch(1, 1000, 4)}, func(int, [][]int64) error {
		return broken
	}); !errors.Is(err, broken) {
		t.Errorf("an error of the question is lost: %v", err)
	}
	if err := solve(nil, nil); err != nil {
		t.Errorf("nothing to search for: %v", err)
	}
}

// Searches in lockstep: one that has ended is not asked about.
func TestSearchesInLockstep(t *testing.T) {
	limits := []int64{64 << 10, 10<<20 + 3, 32}
	searches := []*search{newSearch(1, 32<<20, width), newSearch(1, 32<<20, width), newSearch(1, 1<<16, width)}
	err := solve(searches, func(step int, points [][]int64) error {
		for i, ns := range points {
			if step > 0 && i != 1 && len(ns) > 0 {
				t.Errorf("step %d asks about %v of search %d, which has ended", step, ns, i)
			}
			for _, n := range ns {
				searches[i].record(n, n <= limits[i])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range searches {
		if yes, _ := s.bracket(); yes != limits[i] {
			t.Errorf("search %d found %d, not %d", i, yes, limits[i])
		}
	}
}
