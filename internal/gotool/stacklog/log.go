package stacklog

import (
	"fmt"
	"io"
	"math/bits"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// Options select what is kept and what counts.
type Options struct {
	Goroutines int         // at most so many are followed at a time; 0 is 131,072 (about 20 MiB)
	Events     int         // this many of the first growths and shrinks are kept in Log.Growths; 0 is 1000
	Event      func(Event) // called with each event as it is read; may be nil

	// Output receives the text that is not part of the log, where both come on one
	// descriptor: what the program itself wrote, as soon as no more is there to be read.
	// With nil it is dropped.
	Output io.Writer

	// From and Until end lines that the program has in the log: what was
	// before the first From and from the first Until on does not count. Empty is
	// the beginning and the end.
	From, Until string

	// Tracer lets the goroutine that writes a trace count as one of the program,
	// as it does in a log.
	Tracer bool
}

func (o Options) withDefaults() Options {
	if o.Goroutines == 0 {
		o.Goroutines = 1 << 17
	}
	if o.Events == 0 {
		o.Events = 1000
	}
	return o
}

// Kind is the kind of an event.
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

var kindNames = [...]string{"alloc", "free", "refill", "release", "clear", "grow", "shrink", "move"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", k)
}

// MarshalText returns the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Event is one line or statement of a log. Sizes are in bytes.
type Event struct {
	Kind     Kind   `json:"event"`
	G        uint64 `json:"goroutine"` // address of its g in a log, its number in a trace
	Addr     uint64 `json:"address"`   // the lowest of the stack; of the new one for Grow, Shrink and Move
	OldAddr  uint64 `json:"old_address"`
	From     uint64 `json:"from"` // sizes
	To       uint64 `json:"to"`
	Used     uint64 `json:"used"`      // bytes copied; not known from a trace
	PC       uint64 `json:"pc"`        // in the function that found its stack too small, 0 if not known
	CallerPC uint64 `json:"caller_pc"` // where that function would have returned to
	Reused   bool   `json:"reused"`    // the address was freed before
}

// Tally counts events and their bytes.
type Tally struct {
	N     int64 `json:"times"`
	Bytes int64 `json:"bytes"`
}

func (t *Tally) add(bytes uint64) {
	t.N++
	t.Bytes += int64(bytes)
}

// Size counts the stacks of one size.
type Size struct {
	Size          uint64 `json:"size"`
	Allocs        int64  `json:"allocated"`
	Frees         int64  `json:"freed"`
	Reused        int64  `json:"reused"`
	CacheRefills  int64  `json:"cache_refills"`
	CacheReleases int64  `json:"cache_releases"`
}

// Step counts the changes from one size to another.
type Step struct {
	Kind    Kind   `json:"event"`
	From    uint64 `json:"from"`
	To      uint64 `json:"to"`
	N       int64  `json:"times"`
	Used    int64  `json:"bytes_copied"`
	UsedMin uint64 `json:"least_used"`
	UsedMax uint64 `json:"most_used"`
}

// Site counts the growths of one function called from one place.
type Site struct {
	PC         uint64 `json:"pc"` // 0, like CallerPC, where the log has none
	CallerPC   uint64 `json:"caller_pc"`
	N          int64  `json:"growths"`
	Used       int64  `json:"bytes_copied"`
	To         uint64 `json:"largest"`  // stack
	Func       string `json:"function"` // of PC, from Symbolise
	File       string `json:"file"`
	FuncLine   int    `json:"line"`
	Caller     string `json:"caller"`
	CallerFile string `json:"caller_file"`
	CallerLine int    `json:"caller_line"`
}

// Chain is a sequence of stack sizes and the number of goroutines that had it.
// Goroutines that never changed their stack have none. A goroutine that starts on the
// stack of an ended one counts as that one's continuation: the log cannot distinguish
// them.
type Chain struct {
	Sizes []uint64 `json:"sizes"`
	More  bool     `json:"more"` // it went on, beyond 30 sizes
	N     int64    `json:"goroutines"`
}

// Goroutine is one chain with its cost.
type Goroutine struct {
	G      uint64   `json:"goroutine"`
	Sizes  []uint64 `json:"sizes"`
	More   bool     `json:"more"`
	Copied int64    `json:"bytes_copied"`
}

// Log holds the figures of a log or a trace. They are exact for what was read.
type Log struct {
	Trace bool `json:"trace"` // from a trace: no Used, no Sites, no caches

	Bytes       int64  `json:"bytes_read"`
	Lines       int64  `json:"lines"`     // or events of a trace
	Own         int64  `json:"log_lines"` // of them, the runtime's own; events of stacks
	Allocs      Tally  `json:"allocated"` // stacks, and their sizes
	Frees       Tally  `json:"freed"`
	Reused      int64  `json:"reused"` // allocations at an address that had been freed as a stack
	CacheClears int64  `json:"cache_clears"`
	Grows       Tally  `json:"growths"` // Bytes is the number of bytes copied
	Shrinks     Tally  `json:"shrinks"`
	Moves       Tally  `json:"moves"`
	Preempts    int64  `json:"preemptions"`    // calls of newstack that grew nothing
	Largest     uint64 `json:"largest"`        // stack that a goroutine grew to
	Smallest    uint64 `json:"smallest"`       // stack that was allocated
	Exceeds     uint64 `json:"overflow_limit"` // in bytes, that a stack would have exceeded; 0 if none did

	Sizes      []Size      `json:"sizes"`      // by size
	Steps      []Step      `json:"steps"`      // by kind, from, to
	Sites      []Site      `json:"sites"`      // most growths first
	Chains     []Chain     `json:"chains"`     // most goroutines first
	Goroutines []Goroutine `json:"goroutines"` // those that copied most
	Growths    []Event     `json:"events"`     // the first Grow, Shrink and Move events, up to Options.Events

	// incomplete or contradictory statements: the figures are not exact
	Damaged   int64 `json:"damaged"`
	Ambiguous int64 `json:"ambiguous"`      // allocations whose size may belong to another thread's at the same moment
	Lost      int64 `json:"not_in_a_chain"` // goroutines beyond Options.Goroutines
	// left out of Chains and Goroutines, because statements about them seem to be
	// missing
	Doubtful int64 `json:"doubtful_chains"`
	Several  bool  `json:"several_processes"` // several processes wrote the log: see Warnings
	Partial  bool  `json:"partial"`           // a trace without its end mark

	// OtherProcesses were started by the program and have such a runtime too.
	// Nothing else of them is in the log.
	OtherProcesses int64   `json:"other_processes"`
	Warnings       []error `json:"-"`
}

// Fresh returns the number of allocations at an address that was not used before.
func (l *Log) Fresh() int64 { return l.Allocs.N - l.Reused }

// Copied returns the number of bytes copied by all changes.
func (l *Log) Copied() int64 { return l.Grows.Bytes + l.Shrinks.Bytes + l.Moves.Bytes }

// Symbolise fills in the functions of the sites. The hook gets an address within the
// instruction meant, so it need not handle return addresses.
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

// order returns log₂ of a size; ok only for a power of two.
func order(size uint64) (o uint8, ok bool) {
	return uint8(bits.TrailingZeros64(size)), bits.OnesCount64(size) == 1
}

// validSize reports whether a size can be one of a stack.
func validSize(n uint64) bool {
	_, ok := order(n)
	return ok && n >= 1<<10 && n <= 1<<40
}

// Records are the figures in the benchmark format, for claims to be judged on.
// The name is that of the program, as "StackGrowth/program=hello"; to it belong
// the totals:
//
//	grows, shrinks, preempts    counts
//	copied-B                    by all growths and shrinks
//	stacks, stacks-B            allocated
//	reused, fresh               of them, on memory of a freed stack or not
//	freed                       stacks
//	cache-refills               of the processors' caches from the common pool
//	smallest-B, largest-B       stack allocated; stack grown to, 0 if none grew
//	steps                       growths of the goroutine that grew most often
//
// and a record …/event=grow/from=2048/to=4096 for each kind of step, with times,
// copied-B, used-B (mean of what was in use), factor (to/from). config is copied
// into each.
func (l *Log) Records(name string, config ...benchfmt.Config) []*benchfmt.Result {
	var refills int64
	for _, s := range l.Sizes {
		refills += s.CacheRefills
	}
	var steps int64
	for _, c := range l.Chains {
		n, _ := countGrowths(c)
		steps = max(steps, n)
	}
	values := []benchfmt.Value{value(l.Grows.N, "grows"), value(l.Shrinks.N, "shrinks"), value(l.Allocs.N, "stacks"),
		value(l.Allocs.Bytes, "stacks-B"), value(l.Reused, "reused"), value(l.Fresh(), "fresh"), value(l.Frees.N, "freed"),
		value(l.Smallest, "smallest-B"), value(l.Largest, "largest-B"), value(steps, "steps")}
	if !l.Trace {
		values = append(values, value(l.Copied(), "copied-B"), value(l.Preempts, "preempts"),
			value(refills, "cache-refills"))
	}
	all := []*benchfmt.Result{record(name, values, config)}
	for _, s := range l.Steps {
		values := []benchfmt.Value{value(s.N, "times"), value(float64(s.To)/float64(s.From), "factor")}
		if !l.Trace {
			values = append(values, value(s.Used, "copied-B"), value(float64(s.Used)/float64(s.N), "used-B"))
		}
		all = append(all, record(fmt.Sprintf("%s/event=%v/from=%d/to=%d", name, s.Kind, s.From, s.To), values, config))
	}
	return all
}

func value[T int64 | uint64 | float64](v T, unit string) benchfmt.Value {
	return benchfmt.Value{Value: float64(v), Unit: unit}
}

func record(name string, values []benchfmt.Value, config []benchfmt.Config) *benchfmt.Result {
	return &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: values, Config: slices.Clone(config)}
}

// output collects what the program itself wrote, and passes it on in blocks.
type output struct {
	to  io.Writer
	buf []byte
	err error
}

// add takes what is the program's.
func (o *output) add(b []byte) {
	if o.to == nil || o.err != nil || len(b) == 0 {
		return
	}
	o.buf = append(o.buf, b...)
	if len(o.buf) >= block/4 {
		o.flush()
	}
}

func (o *output) flush() {
	if len(o.buf) == 0 {
		return
	}
	if o.err == nil {
		_, o.err = o.to.Write(o.buf)
	}
	o.buf = o.buf[:0]
}

// block bounds a line: what is longer is the program's own output.
const block = 256 << 10
