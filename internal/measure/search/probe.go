package search

import (
	"errors"
	"fmt"
)

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
