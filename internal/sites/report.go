// Package sites holds what memcost why finds: allocation sites with their causes and costs, the
// answer in a sentence, and the document that is shown. It is found by the rooms below: count runs
// the benchmarks, join charges what they allocated to sites, remedy says what would help, diff
// compares two reports, explain does one after the other, and export writes other tools' formats.
package sites

import (
	"slices"
	"time"

	"github.com/google/pprof/profile"
)

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
	Again      []Amount `json:"again"`           // the same code, counted again, where operations are not alike
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

// A Part is what a site makes of the benchmarks: means, over those that count for the ranks, of its
// shares of their bytes, of their objects and of their CPU time.
type Part struct{ Bytes, Objects, CPU float64 }

// PartOf returns what a site makes of the report's benchmarks.
func (r *Report) PartOf(s *Site) Part {
	var p Part
	benches := 0.0
	for i, b := range r.Benchmarks {
		if !r.counts(b) {
			continue
		}
		benches++
		for _, c := range s.Costs {
			if c.Benchmark != i {
				continue
			}
			p.Bytes += c.Bytes / b.Bytes
			if b.Objects > 0 {
				p.Objects += c.Objects / b.Objects
			}
			if c.Share.Runs > 0 {
				p.CPU += c.Share.Value
			}
		}
	}
	if benches == 0 {
		return Part{}
	}
	return Part{p.Bytes / benches, p.Objects / benches, p.CPU / benches}
}

// ByCPU reports whether the sites are ranked by their shares of CPU time: where these were measured.
// Else they are by bytes, which are exact.
func (r *Report) ByCPU() bool {
	return slices.ContainsFunc(r.Benchmarks, func(b Benchmark) bool { return r.counts(b) && b.Malloc.Runs > 0 })
}

// leastObjects is how many objects an operation makes at least of a benchmark that counts for the
// ranks: a buffer that grows once in a thousand operations is not what a package costs.
const leastObjects = 0.01

// counts reports whether a benchmark counts for the ranks. Where all allocate so little, all do.
func (r *Report) counts(b Benchmark) bool {
	much := func(b Benchmark) bool { return b.Bytes > 0 && b.Objects >= leastObjects }
	return much(b) || b.Bytes > 0 && !slices.ContainsFunc(r.Benchmarks, much)
}

// Column returns the index of a kind of values of a profile, -1 if it has none.
func Column(p *profile.Profile, kind string) int {
	return slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == kind })
}

// Progress is how far counting or pricing is.
type Progress struct {
	What     string // "building memcost/x"
	Done, Of int    // steps
	Left     time.Duration
	Found    bool // What is a result, and no step
}
