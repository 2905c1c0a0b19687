package stackgrow

import "math/bits"

// Kind is what happened.
type Kind uint8

const (
	Alloc        Kind = iota // a stack was allocated: Addr, To, Reused
	Free                     // a stack was freed: Addr, From
	CacheRefill              // a processor's cache of one order was filled from the pool: To
	CacheRelease             // half of it went back: From
	CacheClear               // the collector emptied the caches
	Grow                     // a stack was replaced by a larger one: all but Reused
	Shrink                   // by a smaller one, by the collector
	Move                     // by one of the same size, when the runtime tests itself
)

// Event is one line or statement of a log. Sizes are in bytes.
type Event struct {
	Kind     Kind
	G        uint64 // goroutine: address of its g in a log, its number in a trace
	Addr     uint64 // the lowest of the stack; of the new one for Grow, Shrink and Move
	OldAddr  uint64 // of the old stack for Grow, Shrink and Move
	From, To uint64 // sizes
	Used     uint64 // bytes copied; not known from a trace
	PC       uint64 // in the function that found its stack too small, 0 if not known
	CallerPC uint64 // where that function would have returned to
	Reused   bool   // the address was freed before
}

// Tally counts events and their bytes.
type Tally struct{ N, Bytes int64 }

func (t *Tally) add(bytes uint64) {
	t.N++
	t.Bytes += int64(bytes)
}

// Size counts the stacks of one size.
type Size struct {
	Size                        uint64
	Allocs, Frees, Reused       int64
	CacheRefills, CacheReleases int64
}

// Step counts the changes from one size to another.
type Step struct {
	Kind             Kind
	From, To         uint64
	N                int64
	Used             int64 // bytes copied, all together
	UsedMin, UsedMax uint64
}

// Site counts the growths of one function called from one place.
type Site struct {
	PC, CallerPC         uint64 // both 0: the log does not say
	N, Used              int64
	To                   uint64 // the largest stack
	Func, File           string // of PC, from Symbolise
	Caller, CallerFile   string
	FuncLine, CallerLine int
}

// Chain is a sequence of stack sizes and the number of goroutines that had it.
// Goroutines that never changed their stack have none. A goroutine that starts
// on the stack of an ended one counts as that one's continuation: the log does
// not tell them apart.
type Chain struct {
	Sizes []uint64
	More  bool // it went on, beyond 30 sizes
	N     int64
}

// Goroutine is one chain with its cost.
type Goroutine struct {
	G      uint64
	Sizes  []uint64
	More   bool
	Copied int64
}

// Log is what a log or a trace says. Figures are exact for what was read.
type Log struct {
	Trace bool // from a trace: no Used, no Sites, no caches

	Bytes, Lines, Own int64 // read; lines; of them, the runtime's own
	Allocs, Frees     Tally // stacks allocated and freed, and their sizes
	Reused            int64 // allocations at an address that had been freed as a stack
	CacheClears       int64
	Grows, Shrinks    Tally // Bytes is what was copied
	Moves             Tally
	Preempts          int64  // calls of newstack that grew nothing
	Largest           uint64 // stack that a goroutine grew to
	Smallest          uint64 // stack that was allocated
	Exceeds           uint64 // limit in bytes that a stack would have exceeded, 0 if none did

	Sizes      []Size      // by size
	Steps      []Step      // by kind, from, to
	Sites      []Site      // most growths first
	Chains     []Chain     // most goroutines first
	Goroutines []Goroutine // those that copied most
	Growths    []Event     // the first Grow, Shrink and Move events, up to Options.Events

	Damaged   int64 // statements that were begun and not read to their end: totals are too low by so many
	Repaired  int64 // statements read around lines of the program in their middle
	Ambiguous int64 // allocations whose size may be another thread's at the same moment
	Lost      int64 // goroutines beyond Options.Goroutines: in no chain
	Warnings  []error
}

// Fresh is the number of allocations at an address not seen before.
func (l *Log) Fresh() int64 { return l.Allocs.N - l.Reused }

// Copied is the number of bytes copied by all changes.
func (l *Log) Copied() int64 { return l.Grows.Bytes + l.Shrinks.Bytes + l.Moves.Bytes }

// Symbolise fills in the functions of the sites. The hook gets an address within
// the instruction meant, so it need not know about return addresses.
func (l *Log) Symbolise(hook func(pc uint64) (function, file string, line int)) {
	for i := range l.Sites {
		s := &l.Sites[i]
		if s.PC != 0 {
			s.Func, s.File, s.FuncLine = hook(s.PC - 1)
		}
		if s.CallerPC != 0 {
			s.Caller, s.CallerFile, s.CallerLine = hook(s.CallerPC - 1)
		}
	}
}

// order is log₂ of a size; ok only for a power of two.
func order(size uint64) (o uint8, ok bool) {
	return uint8(bits.TrailingZeros64(size)), bits.OnesCount64(size) == 1
}
