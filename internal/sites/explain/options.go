// Package explain does what memcost why does, without the command line: it builds and runs
// packages (count), joins what is known of their allocations (why), measures what such
// allocations cost here (price), and proposes fixes (remedy), for one source or for several
// that are compared.
package explain

import "time"

// Options say what is explained, and how.
type Options struct {
	Dir             string   // from which packages are seen
	Patterns        []string // of packages
	Bench, Test     string   // regular expressions; Test runs tests instead of benchmarks
	Static          bool     // run nothing
	Profile, Binary string   // a heap profile that there is already, and its program
	Exact           bool
	Runs            int // under the CPU profiler, of each benchmark
	Budget, Timeout time.Duration
	Tags            string
	BuildFlags      []string
	TestArgs        []string // of the test binary

	Since    string   // a revision to compare with; it is the first side
	Versions []string // of Go; the first is the baseline of the others
}
