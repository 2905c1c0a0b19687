package search

import (
	"fmt"
	"strings"
)

// The causes, which are part of the names of the cases.
const (
	causeTcache    = "tcache"
	causeGrow      = "first-brk"  // the first block makes the heap grow
	causeFirstMmap = "first-mmap" // the first block is mmapped, those after it are not
	causeMmap      = "mmap"       // every block is
	causeTrim      = "trim"
	causeMadvise   = "madvise"
	causeNull      = "null"
	causeHeap      = "heap" // back to the heap
	causeFaults    = "faults"
	causeCalls     = "calls"
	causeCost      = "cost"
)

var mechanisms = map[string]string{
	"tcache": "the thread cache", "heap": "the heap", "brk": "a heap that grows for it (brk)",
	"mmap": "a mapping of its own (mmap)",
}

func place(mechanism string) string {
	if w := mechanisms[mechanism]; w != "" {
		return w
	}
	return mechanism
}

// A change is described by what is known of the process that shows it.
type change struct {
	glibc  bool // malloc is glibc's own
	locked bool // all memory is locked
}

// explain names what changes between two sides, first what matters most.
func (s change) explain(before, after Probe) (cause, what string) {
	a, b := before.signature(s.glibc), after.signature(s.glibc)
	switch {
	case b.null != "":
		return causeNull, s.null(b.null)
	case a.null != "":
		return causeHeap, "malloc succeeds again"
	case a.mechanism != "mmap" && b.mechanism == "mmap":
		return causeMmap, fmt.Sprintf("from %s to a mapping of its own (mmap), every time%s", place(a.mechanism),
			given(b))
	case a.mechanism == "mmap" && b.mechanism != "mmap":
		return causeHeap, "from a mapping of its own back to " + place(b.mechanism)
	case a.mechanism == "tcache" && b.mechanism != "tcache":
		return causeTcache, "from the thread cache to " + place(b.mechanism)
	case a.brk == 0 && b.brk > 0:
		return causeTrim, "the freed block goes back to the system: trim, and the heap grows again (brk) for the " +
			"next one"
	case a.madvise == 0 && b.madvise > 0:
		return causeMadvise, "the freed block's pages go back to the system (madvise)"
	case a.first != "mmap" && b.first == "mmap":
		why := ""
		if s.glibc {
			why = ": its free raised the threshold"
		}
		return causeFirstMmap, fmt.Sprintf("the first block is a mapping of its own (mmap) instead of from %s; "+
			"later ones come from %s%s", place(a.first), place(b.mechanism), why)
	case a.first == "mmap" && b.first != "mmap":
		return causeHeap + "-first", "the first block comes from " + place(b.first) + " instead of a mapping of its own"
	case a.first != "brk" && b.first == "brk":
		return causeGrow, "the first block makes the heap grow (brk)"
	case a.touchFaults != b.touchFaults:
		return causeFaults, faults("the first touch", b.touchFaults)
	case a.mallocFaults != b.mallocFaults:
		return causeFaults, faults("malloc", b.mallocFaults)
	}
	return causeCalls, "the system calls change: " + changes(a, b)
}

func (s change) null(why string) string {
	if s.locked {
		return "malloc fails (" + why + "): all memory is locked, and RLIMIT_MEMLOCK ends there"
	}
	return "malloc fails: " + why
}

func given(b signature) string {
	if b.munmap > 0 {
		return ", which free takes away (munmap)"
	}
	return ""
}

func faults(where string, yes bool) string {
	if yes {
		return where + " faults every time"
	}
	return where + " does not fault any longer"
}

func changes(a, b signature) string {
	var out []string
	for _, c := range []struct {
		name string
		a, b any
	}{
		{"first block", a.first, b.first}, {"then", a.mechanism, b.mechanism}, {"brk", a.brk, b.brk},
		{"mmap", a.mmap, b.mmap},
		{"munmap", a.munmap, b.munmap}, {"madvise", a.madvise, b.madvise}, {"kept", a.kept, b.kept},
	} {
		if c.a != c.b {
			out = append(out, fmt.Sprintf("%s %v to %v", c.name, c.a, c.b))
		}
	}
	return strings.Join(out, ", ")
}
