package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// search is the search with one setting.
type cliffSearch struct {
	ctx    context.Context
	ask    func(context.Context, int64) (Probe, error)
	glibc  bool
	locked bool
	log    func(string, float64)

	cache   map[int64][]Probe // the probes of a size, in the order taken
	failed  map[int64]bool
	edges   [][2]int64 // neighbours that are served in different ways
	cliffs  []Cliff
	probes  int
	largest int64
	notes   []string
}

const (
	mostFailed  = 3 // probes of a setting, before it is given up
	confirmWith = 5 // processes on each side
)

// Steps of the bisection. What is counted is exact, and the counters of two sizes 16
// bytes apart (malloc's alignment) differ or do not; a cost is known to a page only.
const (
	fine = 16
	page = 4096
)

// scan goes up by half and by a third, and bisects where neighbours differ. A change
// that is reversed between two neighbours is not detected.
func (s *cliffSearch) scan(smallest, largest int64) error {
	sizes := ladder(smallest, largest)
	last := int64(0)
	for i, n := range sizes {
		s.say(fmt.Sprintf("probing %d B", n), 0.6*float64(i)/float64(len(sizes)))
		ok, err := s.try(n, 1)
		if errors.Is(err, errSkipped) {
			s.notes = append(s.notes, fmt.Sprintf("blocks of %d bytes and more were not tried: there is too little "+
				"memory", n))
			return nil
		}
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		s.largest = n
		if last > 0 {
			if err := s.bisect(last, n); err != nil {
				return err
			}
		}
		last = n
	}
	return nil
}

// ladder returns 2^k and 1.5*2^k between the bounds, and the bounds.
func ladder(smallest, largest int64) []int64 {
	out := []int64{smallest}
	for p := int64(8); p < largest; p *= 2 {
		for _, n := range []int64{p, p + p/2} {
			if n > smallest && n < largest {
				out = append(out, n)
			}
		}
	}
	if largest > smallest {
		out = append(out, largest)
	}
	return out
}

// try makes sure that there are n probes of a size. It is not ok when the program
// failed there; too many of those, and missing memory, are errors.
func (s *cliffSearch) try(size int64, n int) (ok bool, err error) {
	for !s.failed[size] && len(s.cache[size]) < n {
		p, err := s.ask(s.ctx, size)
		s.probes++
		switch {
		case err == nil:
			s.cache[size] = append(s.cache[size], p)
		case s.ctx.Err() != nil || errors.Is(err, errSkipped):
			return false, err
		default:
			s.failed[size] = true
			if len(s.failed) >= mostFailed {
				return false, fmt.Errorf("%w (given up after %d sizes failed)", err, mostFailed)
			}
			s.notes = append(s.notes, err.Error())
		}
	}
	return !s.failed[size], nil
}

func (s *cliffSearch) signature(size int64) signature {
	return mode(s.cache[size], s.glibc)
}

// bisect finds the neighbours between lo and hi that differ, where lo and hi do.
func (s *cliffSearch) bisect(lo, hi int64) error {
	if same(s.signature(lo), s.signature(hi)) {
		return nil
	}
	mid := (lo + hi) / 2 &^ 7
	if hi-lo <= fine || mid <= lo {
		s.edges = append(s.edges, [2]int64{lo, hi})
		return nil
	}
	ok, err := s.try(mid, 1)
	if err != nil {
		return err
	}
	if !ok { // the edge cannot be narrowed any further
		s.edges = append(s.edges, [2]int64{lo, hi})
		return nil
	}
	if err := s.bisect(lo, mid); err != nil {
		return err
	}
	return s.bisect(mid, hi)
}

// confirm runs fresh processes on both sides of an edge. An edge that depends on what a
// process found in its heap varies: it is tried once more a page to each side, and is
// noise when the sides do not differ there either.
func (s *cliffSearch) confirm(lo, hi int64) error {
	for _, wide := range []int64{0, page} {
		a, b := lo-wide, hi+wide
		if a < 8 || wide > 0 && (lo < 2*page || b > s.largest) {
			break
		}
		before, after, err := s.sides(a, b)
		if err != nil {
			return err
		}
		if len(before) == 0 || len(after) == 0 {
			return nil
		}
		if x, y := mode(before, s.glibc), mode(after, s.glibc); !same(x, y) {
			s.keep(a, b, before, after)
			return nil
		}
	}
	return nil
}

// sides runs fresh probes of two sizes, alternating: a machine that gets slower
// meanwhile slows both down.
func (s *cliffSearch) sides(lo, hi int64) (before, after []Probe, err error) {
	old := map[int64]int{lo: len(s.cache[lo]), hi: len(s.cache[hi])}
	for i := 1; i <= confirmWith; i++ {
		for _, n := range []int64{lo, hi} {
			ok, err := s.try(n, old[n]+i)
			if err != nil || !ok {
				return nil, nil, err
			}
		}
	}
	return s.cache[lo][old[lo]:], s.cache[hi][old[hi]:], nil
}

// keep adds a cliff of the mechanism, unless an edge beside it has given the same.
func (s *cliffSearch) keep(lo, hi int64, before, after []Probe) {
	c := Cliff{Below: lo, At: hi, Before: middle(before, s.glibc), After: middle(after, s.glibc)}
	for _, k := range s.cliffs {
		if lo < k.At && hi > k.Below && same(k.After.signature(s.glibc), c.After.signature(s.glibc)) {
			return
		}
	}
	c.Cause, c.What = change{s.glibc, s.locked}.explain(c.Before, c.After)
	c.Ratio = c.After.cost() / c.Before.cost()
	s.cliffs = append(s.cliffs, c)
}

func (s *cliffSearch) say(what string, share float64) {
	if s.log != nil {
		s.log(what, share)
	}
}

// tried returns the sizes with a probe, ascending.
func (s *cliffSearch) tried() []int64 { return slices.Sorted(maps.Keys(s.cache)) }
