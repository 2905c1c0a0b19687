// This part of the package finds the block sizes at which malloc changes its behaviour: where
// another mechanism takes over, where freed memory goes back to the system, where malloc
// fails, and where the cost jumps although nothing else changes.
//
// No value is taken from a table. A program (malloc_bench --probe, of the study malloc)
// tries one size in a fresh process, because a heap depends on its history; the counts
// of that process, not the size, determine the mechanism. A coarse scan is followed by
// bisection, and a cliff counts when five fresh processes on each side confirm it.
//
// Each cliff is shown with the prediction of glibc's documented rules (predict.go).
//
// It is built on proc, which runs the program.

package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/study/language"
)

// FindCliffs searches a setting, which is a variant of the study malloc. Its failure is recorded in the finding; the
// error is for work that was stopped.
func FindCliffs(ctx context.Context, o CliffOptions, set language.Variant) (Finding, error) {
	f := Finding{Setting: set.Keys}
	err := findOne(ctx, o, set, &f)
	if ctx.Err() != nil {
		return f, fmt.Errorf("finding the cliffs of %s: %w", set.Keys, context.Cause(ctx))
	}
	if err != nil {
		f.Failed = err.Error()
	}
	return f, nil
}

func findOne(ctx context.Context, o CliffOptions, set language.Variant, f *Finding) error {
	p := &cliffProgram{CliffOptions: o, set: set}
	facts, err := p.check(ctx)
	if err != nil {
		return err
	}
	f.Platform, f.Library = facts.Platform, facts.Library
	s := &cliffSearch{ctx: ctx, ask: p.probe, glibc: facts.glibc(), locked: locked(set), log: o.Log,
		cache: map[int64][]Probe{}, failed: map[int64]bool{}}
	err = s.run(o.Smallest, o.Largest)
	f.Cliffs, f.Probes, f.Largest, f.Notes = s.cliffs, s.probes, s.largest, s.notes
	if err != nil {
		return err
	}
	if s.largest == 0 {
		return errors.New("no size could be tried")
	}
	judge(f, predict(set, facts, o.MayLock), o.Smallest)
	return nil
}

func (s *cliffSearch) run(smallest, largest int64) error {
	if err := s.scan(smallest, largest); err != nil {
		return err
	}
	s.fromTheFirst()
	for i, e := range s.edges {
		s.log(fmt.Sprintf("confirming a cliff at %d B", e[1]), 0.6+0.2*float64(i)/float64(len(s.edges)))
		if err := s.confirm(e[0], e[1]); err != nil {
			return err
		}
	}
	if err := s.costs(); err != nil {
		return err
	}
	slices.SortFunc(s.cliffs, func(a, b Cliff) int { return int(a.At - b.At) })
	s.name()
	return nil
}

// fromTheFirst adds what holds from the smallest block on, where every block is a mapping: there is no size at which it begins.
func (s *cliffSearch) fromTheFirst() {
	for _, size := range s.tried() {
		if len(s.cache[size]) == 0 {
			continue
		}
		p := middle(s.cache[size], s.glibc)
		if p.Null == "" && p.signature(s.glibc).mechanism == "mmap" {
			s.cliffs = append(s.cliffs, Cliff{Cause: causeMmap, At: size, Before: p, After: p, Ratio: 1,
				What: "a mapping of its own (mmap), every time, from the smallest block on that was tried"})
		}
		return
	}
}

// name numbers the cliffs that share their cause.
func (s *cliffSearch) name() {
	seen := map[string]int{}
	for i := range s.cliffs {
		c := &s.cliffs[i]
		if seen[c.Cause]++; seen[c.Cause] > 1 {
			c.Cause = fmt.Sprintf("%s-%d", c.Cause, seen[c.Cause])
		}
	}
}

// Options select what to try and how.
type CliffOptions struct {
	Program string // path of malloc_bench
	Runner  *proc.Runner
	Env     []string // complete environment of the program; a setting's own is added

	// Smallest and Largest block to try, in bytes: at least 8. The program itself
	// leaves out sizes for which there is too little memory.
	Smallest, Largest int64

	// MayLock reports whether the process may lock more memory than RLIMIT_MEMLOCK
	// (CAP_IPC_LOCK).
	MayLock bool

	Timeout time.Duration // ends a probe that hangs

	// Log is called with what is being tried, and roughly what share of the setting's
	// work is done (0 to 1).
	Log func(what string, share float64)
}

// ProbeTime is a Timeout that no probe takes that does not hang.
const ProbeTime = 30 * time.Second

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
		s.log(fmt.Sprintf("probing %d B", n), 0.6*float64(i)/float64(len(sizes)))
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

// tried returns the sizes with a probe, ascending.
func (s *cliffSearch) tried() []int64 { return slices.Sorted(maps.Keys(s.cache)) }

// A Finding holds what was found for one setting.
type Finding struct {
	Setting  string // the keys of a benchmark's name: "allocator=glibc/setting=trim0"
	Platform string // "Linux, glibc 2.36", as the program prints it
	Library  string // file that contains malloc
	Cliffs   []Cliff
	Absent   []Prediction // predicted within the sizes tried, and not there
	Probes   int          // processes that were started
	Largest  int64        // bytes: the largest block that was tried
	Notes    []string     // sizes whose probe failed, memory that was missing
	Failed   string       // why there is no answer; "" if there is one
}

// A Cliff is a size at which something changes.
type Cliff struct {
	Cause         string // short and stable: "tcache", "mmap", "cost"; a second one is "mmap-2"
	Below, At     int64  // bytes: the largest size known before the change, the smallest known after it
	What          string // what changes, in words
	Before, After Probe  // what five processes on each side had in common, and their median times
	Ratio         float64
	Prediction    *Prediction // of the same cause; nil when none is predicted
	Verdict       string      // Agrees, Differs or NotPredicted
}

// The verdicts.
const (
	Agrees       = "agrees"
	Differs      = "does not agree"
	NotPredicted = "not predicted"
)

// A Prediction is a size that glibc's documented rules give for a cause: the smallest
// block with the change lies between Low and High. They are equal where the rule is
// exact, and apart where it depends on what the heap already holds.
type Prediction struct {
	Cause     string
	Low, High int64 // bytes
	Rule      string
}

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
		s.log(fmt.Sprintf("comparing the cost below and at %d B", sizes[i]), 0.8+0.2*float64(i)/float64(len(sizes)))
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
