// Package count builds a package's benchmarks or tests with the compiler's diagnostics, and
// counts what they allocate: a heap profile of the timed part alone, and CPU profiles.
package count

import (
	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites/join"
)

// A Counted is one package, built and run.
type Counted struct {
	Package     toolchain.Package
	Toolchain   toolchain.Toolchain
	Binary      string            // the test binary that was run; without tests the program, "" if it is none
	Diagnostics []byte            // the compiler's -m=2 of the package and its tests, with absolute names of files
	Folders     map[string]string // import path of each dependency → its folder; nil if nothing was run
	Measured    []join.Measured
	Exact       bool
	Warnings    []string

	asked   Options
	builder *toolchain.Builder
}
