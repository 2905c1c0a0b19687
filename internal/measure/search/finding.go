package search

// A Finding holds what was found for one setting.
type Finding struct {
	Setting  Setting
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

// A Setting is one way to run the program.
type Setting struct {
	Name string   // of the cases, keys of a benchmark's name: "allocator=glibc/setting=trim0"
	Args []string // of the program, as -mM_TRIM_THRESHOLD=0
	Env  []string // NAME=VALUE beside Options.Env: LD_PRELOAD, GLIBC_TUNABLES
}
