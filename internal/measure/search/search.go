package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"memcost/internal/base/hint"
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

// A Probe holds the program's figures for one size: see the head of probe.cpp of the
// study malloc. Times are nanoseconds with the timer's own in them, medians of the
// blocks after the first; faults and calls are of one such block.
type Probe struct {
	Size        int64   `json:"size"`
	TimerNS     float64 `json:"timer_ns"`
	Mechanism   string  `json:"mechanism"`
	First       First   `json:"first"`
	MallocNS    float64 `json:"malloc_ns"`
	TouchNS     float64 `json:"touch_ns"`
	FreeNS      float64 `json:"free_ns"`
	MallocFault int64   `json:"malloc_faults"`
	TouchFault  int64   `json:"touch_faults"`
	Kept        bool    `json:"kept"`
	Brk         int64   `json:"brk"`
	Mmap        int64   `json:"mmap"`
	Munmap      int64   `json:"munmap"`
	Madvise     int64   `json:"madvise"`
	Uncounted   string  `json:"uncounted"` // why the calls are missing
	Null        string  `json:"null"`      // why malloc failed
}

// First is the first block of the process.
type First struct {
	Mechanism   string `json:"mechanism"`
	MallocFault int64  `json:"malloc_faults"`
	TouchFault  int64  `json:"touch_faults"`
}

// errSkipped is returned for a size that the program did not try, for lack of memory.
var errSkipped = errors.New("skipped")

// signature holds the effects of a size, without times. Two sizes with the same one are
// served in the same way.
type signature struct {
	null                       string
	first, mechanism           string
	brk, mmap, munmap, madvise int64
	kept                       bool
	mallocFaults, touchFaults  bool
	uncounted                  bool
}

// same reports whether two sizes are served in the same way. Calls are compared only
// where those of both could be counted.
func same(a, b signature) bool {
	if a.uncounted != b.uncounted && a.null == "" && b.null == "" {
		for _, s := range []*signature{&a, &b} {
			s.brk, s.mmap, s.munmap, s.madvise, s.kept, s.uncounted = 0, 0, 0, 0, false, false
		}
	}
	return a == b
}

// signature returns the signature of a probe. Only with glibc is it known which blocks
// the thread cache holds: with another malloc "tcache" and "heap" are the same. Whether
// memory was kept is decided by the calls where they are counted, because the kernel
// updates the resident set that "kept" is read from in batches
// (Documentation/filesystems/proc.rst: "inaccurate").
func (p Probe) signature(glibc bool) signature {
	if p.Null != "" {
		return signature{null: p.Null}
	}
	name := func(mechanism string) string {
		if !glibc && mechanism == "tcache" {
			return "heap"
		}
		return mechanism
	}
	s := signature{first: name(p.First.Mechanism), mechanism: name(p.Mechanism),
		brk: p.Brk, mmap: p.Mmap, munmap: p.Munmap, madvise: p.Madvise,
		mallocFaults: p.MallocFault > 0, touchFaults: p.TouchFault > 0}
	if p.Uncounted != "" {
		s.kept, s.uncounted = p.Kept, true
	}
	return s
}

// String returns the evidence of one side, in words.
func (p Probe) String() string {
	if p.Null != "" {
		return fmt.Sprintf("at %d B malloc fails: %s", p.Size, p.Null)
	}
	calls := fmt.Sprintf("brk %d, mmap %d, munmap %d, madvise %d", p.Brk, p.Mmap, p.Munmap, p.Madvise)
	if p.Uncounted != "" {
		calls = "calls not counted: " + p.Uncounted
	}
	return fmt.Sprintf(
		"at %d B %s (first block %s), %s, faults %d in malloc and %d at the first touch, %.0f + %.0f + %.0f ns",
		p.Size, p.Mechanism, p.First.Mechanism, calls, p.MallocFault, p.TouchFault, p.MallocNS, p.TouchNS, p.FreeNS)
}

func (p Probe) cost() float64 { return p.MallocNS + p.TouchNS + p.FreeNS }

func sorted(probes []Probe, of func(Probe) float64) []float64 {
	var out []float64
	for _, p := range probes {
		out = append(out, of(p))
	}
	slices.Sort(out)
	return out
}

func median(probes []Probe, of func(Probe) float64) float64 {
	x := sorted(probes, of)
	return x[len(x)/2]
}

// middle returns a probe with the commonest signature, and with the median times of all.
func middle(probes []Probe, glibc bool) Probe {
	want := mode(probes, glibc)
	p := probes[slices.IndexFunc(probes, func(p Probe) bool { return p.signature(glibc) == want })]
	p.MallocNS = median(probes, func(p Probe) float64 { return p.MallocNS })
	p.TouchNS = median(probes, func(p Probe) float64 { return p.TouchNS })
	p.FreeNS = median(probes, func(p Probe) float64 { return p.FreeNS })
	return p
}

// mode returns the signature that most of the probes have; of equally many the first.
func mode(probes []Probe, glibc bool) signature {
	count := map[signature]int{}
	for _, p := range probes {
		count[p.signature(glibc)]++
	}
	var best signature
	for _, p := range probes {
		if x := p.signature(glibc); count[x] > count[best] {
			best = x
		}
	}
	return best
}

// A trial finds a run-time row.
type trial struct {
	name   string
	unit   string
	memory int64 // bytes that must be available
	find   func(context.Context, *bench, *Row) error
}

// deepMemory is the most that a child takes that overflows its stack: the largest stack
// and, while it is copied, the one before. The runtime allows a gigabyte on 64-bit
// systems, so that this covers a stack of that size.
const deepMemory = 3 << 29

// trials returns the run-time rows. Those that share children are next to each other.
func trials() []trial {
	ts := []trial{
		{"what=min-stack", "bytes", 0, findStart},
		{"what=adaptive-start", "bytes", 0, findAdaptive},
		{"what=growth-factor", "ratio", 0, findGrowth},
	}
	for _, f := range []int{4 << 10, 64 << 10, 1 << 20, 10 << 20} {
		ts = append(ts, trial{fmt.Sprintf("what=growth-steps/frame=%d", f), "steps", 0,
			func(ctx context.Context, b *bench, r *Row) error {
				return findSteps(ctx, b, r, f)
			}})
	}
	ts = append(ts,
		trial{"what=shrink-factor", "ratio", 0, findShrink},
		trial{"what=shrink-below/stack=1048576", "bytes", 0, findShrinkBelow},
		trial{"what=max-stack", "bytes", deepMemory, findMax},
		trial{"what=max-stack-usable", "bytes", deepMemory, findUsable})
	for _, f := range []int{64, 1 << 10, 64 << 10, 1 << 20, 10 << 20} {
		ts = append(ts, trial{fmt.Sprintf("what=depth/frame=%d", f), "levels", deepMemory,
			func(ctx context.Context, b *bench, r *Row) error {
				return findDepth(ctx, b, r, f)
			}})
	}
	return ts
}

// findTrials finds the run-time rows that are open.
func (b *bench) findTrials(ctx context.Context) error {
	defer func() {
		if b.stack != "" {
			os.Remove(b.stack)
		}
	}()
	for _, t := range trials() {
		if !b.wants(t.name) {
			continue
		}
		r := Row{Name: t.name, Unit: t.unit}
		b.log("%s", strings.TrimPrefix(t.name, "what="))
		err := b.enough(t.memory)
		if err == nil {
			err = t.find(ctx, b, &r)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			r = Row{Name: t.name, Unit: t.unit, Failed: err.Error()}
		}
		if err := b.add(r); err != nil {
			return err
		}
	}
	return nil
}

// enough returns an error when there is no memory for a trial.
func (b *bench) enough(need int64) error {
	if need == 0 {
		return nil
	}
	have, ok := b.Memory()
	switch {
	case !ok:
		return fmt.Errorf("not tried: it may take %d MiB of memory, and this system does not say how much is available",
			need>>20)
	case have < need:
		return hint.New("end other programs, or raise the memory limit of the container",
			"not tried: it may take %d MiB of memory, and only %d MiB are available", need>>20, have>>20)
	}
	return nil
}
