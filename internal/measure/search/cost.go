package search

import (
	"fmt"
	"math"
)

// A jump is a factor of two between neighbours whose sizes are at most a factor of 1.5
// apart, and far more than the timer's resolution.
const (
	jumpFactor = 2
	jumpTicks  = 5
)

// parts lists the two costs that are compared: the time of malloc and free, and that of
// the first touch. In their sum the touch of large blocks would hide everything.
var parts = []struct {
	name string
	of   func(Probe) float64
}{
	{"malloc and free", func(p Probe) float64 { return p.MallocNS + p.FreeNS }},
	{"the first touch", func(p Probe) float64 { return p.TouchNS }},
}

// costs finds jumps of the cost between sizes that are served in the same way.
func (s *cliffSearch) costs() error {
	sizes := s.tried()
	for i := 1; i < len(sizes); i++ {
		s.say(fmt.Sprintf("comparing the cost below and at %d B", sizes[i]), 0.8+0.2*float64(i)/float64(len(sizes)))
		for part := range parts {
			lo, hi := sizes[i-1], sizes[i]
			if s.failed[lo] || s.failed[hi] || !same(s.signature(lo), s.signature(hi)) || s.signature(lo).null != "" ||
				!s.factor(lo, hi, part) {
				continue
			}
			found, err := s.narrow(lo, hi, part)
			if err != nil {
				return err
			}
			if found {
				break // one cliff, whichever part shows it
			}
		}
	}
	return nil
}

// factor reports whether the medians of what is known of two sizes are a jump.
func (s *cliffSearch) factor(lo, hi int64, part int) bool {
	return jump(s.cache[lo], s.cache[hi], parts[part].of)
}

func jump(a, b []Probe, of func(Probe) float64) bool {
	x, y := median(a, of), median(b, of)
	if x > y {
		x, y = y, x
	}
	return y >= jumpFactor*x && y-x >= jumpTicks*a[0].TimerNS
}

// apart reports whether the costs of the two sides are separated, but for one outlier on
// each: one process that was disturbed makes no cliff, and hides none.
func apart(a, b []Probe, of func(Probe) float64) bool {
	x, y := sorted(a, of), sorted(b, of)
	if median(a, of) > median(b, of) {
		x, y = y, x
	}
	return x[len(x)-2] < y[1]
}

// narrow follows a jump to two sizes 16 bytes or a page apart. A cost that only grows
// steadily has no such place.
func (s *cliffSearch) narrow(lo, hi int64, part int) (bool, error) {
	of := parts[part].of
	if _, _, ok, err := s.jumps(lo, hi, of); err != nil || !ok {
		return false, err
	}
	for hi-lo > step(lo) {
		mid := (lo + hi) / 2 &^ 7
		if ok, err := s.try(mid, confirmWith); err != nil || !ok {
			return false, err
		}
		x, m, y := median(s.cache[lo], of), median(s.cache[mid], of), median(s.cache[hi], of)
		if ratio(x, m) > ratio(m, y) {
			hi = mid
		} else {
			lo = mid
		}
	}
	before, after, ok, err := s.jumps(lo, hi, of)
	if ok && err == nil { // repeated: among so many comparisons some look like cliffs by chance
		before, after, ok, err = s.jumps(lo, hi, of)
	}
	if err != nil || !ok {
		return false, err
	}
	c := Cliff{Cause: causeCost, Below: lo, At: hi, Before: middle(before, s.glibc), After: middle(after, s.glibc)}
	x, y := of(c.Before), of(c.After)
	c.Ratio = c.After.cost() / c.Before.cost()
	c.What = fmt.Sprintf("%s takes %.0f instead of %.0f ns, and the block is served in the same way",
		parts[part].name, y, x)
	s.cliffs = append(s.cliffs, c)
	return true, nil
}

// jumps reports whether fresh processes on both sides show the jump.
func (s *cliffSearch) jumps(lo, hi int64, of func(Probe) float64) (before, after []Probe, ok bool, err error) {
	before, after, err = s.sides(lo, hi)
	ok = err == nil && len(before) > 0 && jump(before, after, of) && apart(before, after, of) &&
		same(mode(before, s.glibc), mode(after, s.glibc))
	return before, after, ok, err
}

func step(size int64) int64 {
	if size < page {
		return fine
	}
	return page
}

func ratio(a, b float64) float64 { return math.Abs(math.Log(math.Max(b, 1) / math.Max(a, 1))) }
