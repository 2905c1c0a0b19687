package join

import "github.com/google/pprof/profile"

// A Report is everything that is known of the allocation sites of some packages.
type Report struct {
	Go       string `json:"go"`       // "go1.26.8"
	Platform string `json:"platform"` // "linux/amd64"
	Revision string `json:"revision"` // of the source, where it is asked for: --since
	Mode     string `json:"mode"`     // "benchmarks", "tests", "profile", "static"
	Exact    bool   `json:"exact"`    // every object was counted where it was made, those under 16 bytes, too

	Packages   []Package   `json:"packages"`
	Benchmarks []Benchmark `json:"benchmarks"` // or tests; one for a profile that was given
	Sites      []Site      `json:"sites"`      // by rank; then those that did not allocate, by position
	Join       Join        `json:"join"`
	Warnings   []string    `json:"warnings"`

	// Profiles are what was counted, with the site of each record.
	Profiles []Profiled `json:"-"`
}

// A Profiled is the heap profile of a benchmark, joined.
type Profiled struct {
	Benchmark int // index into Report.Benchmarks
	Memory    *profile.Profile
	Sites     []int // of each sample of Memory: index into Report.Sites, -1 where it is charged to none
}

// A Package is one that was asked for.
type Package struct {
	Path    string   `json:"path"`
	Dir     string   `json:"-"`
	Partial []string `json:"partial"` // what is not known of it, and why: a sentence each
}

// A Benchmark is what was run, and what the runtime counted in its timed part.
type Benchmark struct {
	Package    string   `json:"package"`
	Name       string   `json:"name"` // "Decode/size=4096", without "Benchmark"; a test's whole name
	N          int64    `json:"n"`    // timed operations; 1 of a test or a profile
	Time       Interval `json:"seconds"`
	Objects    float64  `json:"objects"` // per operation, by the runtime's own count
	Bytes      float64  `json:"bytes"`
	Counted    float64  `json:"counted_objects"` // per operation, by the profile: the sum over all sites and the rest
	Other      float64  `json:"other_objects"`   // of them outside of the user's frames: the runtime's, testing's
	OtherBytes float64  `json:"other_bytes"`
	// Shares of its CPU time that all allocations together took, over the runs.
	Malloc Interval `json:"malloc"`
	Assist Interval `json:"assist"`
	GC     Interval `json:"gc"`     // of the background collector, whose work allocations cause
	Failed string   `json:"failed"` // why there is nothing of it
}

// A Join is how far the three sources agree. Samples are records of the profile: a stack and
// a size each.
type Join struct {
	Samples                 int64   `json:"samples"` // with their leaf in the user's packages
	Matched                 int64   `json:"matched"` // to a diagnostic
	Named                   int64   `json:"named"`   // to a named reason for having none
	Objects                 int64   `json:"objects"` // the same, in objects
	ObjectsMatched          int64   `json:"objects_matched"`
	ObjectsNamed            int64   `json:"objects_named"`
	Outside                 int64   `json:"outside"`           // objects with their leaf outside
	OutsideExplained        int64   `json:"outside_explained"` // of them, with a diagnostic or a named reason
	OutsideSamples          int64   `json:"outside_samples"`
	OutsideSamplesExplained int64   `json:"outside_samples_explained"`
	Uncategorised           float64 `json:"uncategorised"` // objects per operation without a cause, of all benchmarks
	// Contradicted are statements "does not escape" at a line where the binary allocates.
	Contradicted int `json:"contradicted"`
	// NoCall are certain heap allocations of which the binary has no call: dead code, or merged.
	NoCall int `json:"no_call"`
	// Unmatched lists the samples without a diagnostic and without a reason.
	Unmatched []Unmatched `json:"unmatched"`
}

// Unmatched is a leaf that nothing explains.
type Unmatched struct {
	Frame
	Call    string `json:"call"`
	Objects int64  `json:"objects"`
	Bytes   int64  `json:"bytes"`
}

// Prices are what allocating costs on this machine now.
type Prices struct {
	Go      string             `json:"go"`
	Classes map[int64]Interval `json:"classes"` // seconds for one object of that size, collecting included
	Pairs   map[string]Pair    `json:"pairs"`   // by key of the cause
}

// A Pair is a cause of the study escape, measured: the version that escapes, and its usual fix.
type Pair struct {
	Escapes Interval `json:"escapes"` // seconds per operation
	Fixed   Interval `json:"fixed"`
	Objects float64  `json:"objects"` // per operation of the version that escapes
	Bytes   float64  `json:"bytes"`
}
