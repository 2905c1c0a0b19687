package join

import (
	"github.com/google/pprof/profile"

	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
)

// An Input is what Analyse joins.
type Input struct {
	Go, Platform, Mode string // as in Report
	Exact              bool
	ModuleDir          string // folder that Site.File is relative to
	Packages           []Asked
	// Dependencies returns what the compiler says of packages that were not asked for, by
	// import path. It is called once, with those in which something was allocated. One that
	// is missing in the answer is not known; nil knows none.
	Dependencies func(paths []string) map[string]Described
	// Read returns the contents of a source file, by its absolute path; nil leaves source lines out.
	Read     func(path string) ([]byte, error)
	Warnings []string
}

// An Asked is one package that was asked for, with its binary and what was measured of it.
type Asked struct {
	Path string // import path
	Described
	// Program is the test binary that ran, nil if there is none.
	Program  *binary.Program
	Main     bool // Program is this package itself, and calls it main
	Measured []Measured
	Partial  []string // what is not known, and why: a sentence each
}

// A Described is a package with what the compiler says of it.
type Described struct {
	Dir    string         // of its source
	Log    *escape.Log    // nil where it is not known
	Source *escape.Source // nil where it cannot be read
}

// A Measured is one benchmark (or test, or a profile that was given) and what was counted.
type Measured struct {
	Name string // "Decode/size=4096", without "Benchmark"; a test's whole name
	N    int64  // timed operations in Memory, over all passes; 1 of a test or a profile

	// Memory holds what the timed part allocated, record by record (alloc_objects and
	// alloc_space, of rate 1 where memcost took it).
	Memory *profile.Profile
	// The runtime's own counters over the same part: objects, of them those that shared a
	// block of 16 bytes with others (a memory profile does not see them, unless counting is
	// exact), and bytes. 0 where they are not known.
	Mallocs, Tiny, Bytes uint64

	Time []float64          // seconds per operation, of each run under the CPU profiler
	CPU  []*profile.Profile // of the same runs
	Err  error              // why there is nothing
}
