package sites

import "memcost/internal/method/stat"

// A Class is how a site comes to allocate.
type Class string

const (
	CertainHeap    Class = "certain heap"     // on the heap whenever its line is reached
	Conditional    Class = "conditional"      // the compiler leaves it to the run: append, a make of variable size
	RuntimeOnly    Class = "runtime only"     // the runtime allocates, and the compiler says nothing
	DidNotAllocate Class = "did not allocate" // nothing was allocated there, though its function ran
	NeverExecuted  Class = "never executed"   // no count and no sample is of its function
)

// Idle reports whether nothing was allocated in this run.
func (c Class) Idle() bool { return c == DidNotAllocate || c == NeverExecuted }

// A Cause is why something is on the heap, in the terms in which it is cured: a cause of
// package escape, or one of those that only the runtime knows (see causes.go).
type Cause struct {
	Key   string `json:"key"`   // "boxing"; "" where it is not known
	Words string `json:"words"` // "a value is put into an interface"
	Fix   string `json:"fix"`   // usual advice for the cause, "" if there is none; for a site see Advice
}

// A Frame is a line of a call chain.
type Frame struct {
	Function string `json:"function"` // with its package: "encoding/json.(*Decoder).Decode"
	File     string `json:"file"`     // as in Site
	Line     int    `json:"line"`
}

// A Site is one place of the user's packages that allocates, or that the compiler or the
// binary says may allocate. Its key is the position and what allocates there: no object is
// counted in two sites.
type Site struct {
	// ID is the same for the same site of another revision or Go version: of function,
	// expression and cause, and a number where several are alike.
	ID      string `json:"id"`
	Rank    int    `json:"rank"` // from 1, by measured cost; 0 of what did not allocate
	Class   Class  `json:"class"`
	Would   Class  `json:"would_be,omitempty"` // of an idle one: the class it would have
	Cause   Cause  `json:"cause"`
	Advice  string `json:"advice"` // what usually helps at this site; "" where nothing is known to
	Package string `json:"package"`

	Function  string   `json:"function"`      // without the package: "(*Decoder).Decode", "Walk.func1"
	File      string   `json:"file"`          // relative to the module's folder, with slashes; else as it is
	Path      string   `json:"-"`             // absolute, of this machine
	Line      int      `json:"line"`          // where the compiler speaks of it, else where the call is
	Col       int      `json:"column"`        // in bytes from 1; 0 where it is not known
	Text      string   `json:"source"`        // the source line, trimmed; "" if it cannot be read
	Expr      string   `json:"expression"`    // the variable or expression, "&T{...}"; "" where it is not known
	Says      string   `json:"compiler"`      // the compiler's statement, "" where it makes none
	Named     string   `json:"no_diagnostic"` // why the compiler says nothing, where that is known
	Calls     []string `json:"calls"`         // the runtime's functions that are called there: "runtime.newobject"
	Flow      []string `json:"flow"`          // how the value reaches the heap, in plain words, a step each
	FlowAt    []Frame  `json:"flow_at"`       // where each step of Flow is; File is "" where that is not known
	Chain     []Frame  `json:"chain"`         // innermost first, where the allocating code was inlined
	Callee    *Callee  `json:"callee"`        // what allocates on its behalf, outside of the user's packages
	Inside    []Callee `json:"inside"`        // all leaves outside, the largest first
	Generated bool     `json:"generated"`     // the file says that it is generated

	Costs []Cost      `json:"costs"`         // a benchmark each in which it allocates, most bytes first
	Sizes []SizeClass `json:"sizes"`         // of its objects over all benchmarks, most objects first
	Price *Interval   `json:"price_seconds"` // what one such object costs on this machine (see Prices)
	Gain  *Gain       `json:"gain"`
	Edit  *Edit       `json:"edit"`
}

// A Callee is a leaf outside of the user's packages.
type Callee struct {
	Frame
	Package string   `json:"package"`
	Class   Class    `json:"class"`
	Cause   Cause    `json:"cause"`
	Says    string   `json:"compiler"`
	Flow    []string `json:"flow"`
	Via     string   `json:"via"`     // the function that the user's line calls: "fmt.Sprintf"
	Objects float64  `json:"objects"` // share of the site's
	Bytes   float64  `json:"bytes"`
}

// A Cost is what a site costs in one benchmark, per operation.
type Cost struct {
	Benchmark int      `json:"benchmark"` // index into Report.Benchmarks
	Objects   float64  `json:"objects"`
	Bytes     float64  `json:"bytes"`
	Estimated bool     `json:"estimated"` // objects under 16 bytes were shared out (see Count in docs/why.md)
	Again     []Amount `json:"again"`     // the same code, counted again, where operations are not alike
	Share     Interval `json:"share"`     // of the benchmark's CPU time: the sum of the next three, over the runs
	Malloc    Interval `json:"malloc"`    // shares of the benchmark's CPU time
	Assist    Interval `json:"assist"`
	GC        Interval `json:"gc"` // of the background collector: by bytes, an estimate
}

// An Amount is what an operation allocates.
type Amount struct {
	Objects float64 `json:"objects"`
	Bytes   float64 `json:"bytes"`
}

// A SizeClass is how many objects of one size a site makes.
type SizeClass struct {
	Bytes   int64   `json:"bytes"`   // of the runtime's size class, or of a large object
	Objects float64 `json:"objects"` // share of the site's, 0 to 1
}

// An Interval is a mean with its 95% confidence interval (Student's t over runs).
type Interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Runs  int     `json:"runs"` // 0: it was not measured
}

// Mean returns the mean of runs with its 95% confidence interval by Student's t.
func Mean(x []float64) Interval {
	if len(x) == 0 {
		return Interval{}
	}
	if len(x) == 1 {
		return Interval{Value: x[0], Lo: x[0], Hi: x[0], Runs: 1}
	}
	m, half := stat.StudentMean(x, 0.05)
	return Interval{Value: m, Lo: max(m-half, 0), Hi: m + half, Runs: len(x)}
}

// A Gain is an estimate of what the usual fix saves, per operation of the benchmark in which
// the site costs most.
type Gain struct {
	Benchmark int      `json:"benchmark"`
	Seconds   Interval `json:"seconds"`
	Share     Interval `json:"share"` // of the benchmark's time per operation
	From      string   `json:"from"`  // what it is computed from, a sentence
}

// An Edit is a change of the source that would remove the allocation; nobody applies it
// unasked.
type Edit struct {
	Title string `json:"title"` // "preallocate with the capacity that was seen"
	Diff  string `json:"diff"`  // unified, of Site.File
	Check string `json:"check"` // what to look at before it is applied
}
