// Package budget reads what a source file says that a function or a line may allocate, and
// checks it against a report of memcost why:
//
//	//memcost:allocs 0
//	func (d *Decoder) Decode(p []byte) error {
//
//	buf := make([]byte, n) //memcost:allocs 1
//
// The number is of heap allocations per operation of a benchmark. The comment stands in the
// doc comment of a function, at the end of a line or above one. The budget of a function is
// for all lines of it with the function literals in it, for what is inlined into them, and
// for what packages that were not asked for allocate on behalf of these lines; another
// function of the same module that it calls is not part of it.
//
// What breaks a budget:
//   - in the sites of the function or line, a benchmark counted more allocations per
//     operation than it allows;
//   - it is 0, and the compiler puts something on the heap there in any case;
//   - it is 0, and the compiler says nothing, but the machine code calls a function of the
//     runtime that always allocates.
//
// What only a panic allocates breaks none. What is allocated in some runs only (append, a
// make of variable size, a store into a map) breaks none by itself, and is listed as a note.
// A budget above 0 is checked by benchmarks alone.
package explain

import "fmt"

// A Budget is what a source file allows a function or a line.
type Budget struct {
	File     string  // with slashes, as why.Site.File: relative to the module's folder
	Line     int     // of the comment
	Allocs   float64 // heap allocations per operation
	Function string  // that it is for, or that the line is in: "(*Decoder).Decode"; "" outside of functions
	Whole    bool    // it is for the whole function
	First    int     // line that it is for, and the last one
	Last     int

	declared int      // line of the function, 0 outside of functions
	panics   [][2]int // first and last lines of calls of panic
}

// Place is what the budget is for: "(*Decoder).Decode" or "decode.go:17".
func (b Budget) Place() string {
	if b.Whole {
		return b.Function
	}
	return fmt.Sprintf("%s:%d", b.File, b.First)
}

// has reports whether the budget is for a line.
func (b Budget) has(file string, line int) bool {
	return file == b.File && line >= b.First && line <= b.Last
}

func (b Budget) panicsAt(file string, line int) bool {
	if file != b.File {
		return false
	}
	for _, p := range b.panics {
		if line >= p[0] && line <= p[1] {
			return true
		}
	}
	return false
}

// A State is what a finding means for its budget.
type State string

const (
	Broken    State = "broken"
	Note      State = "note"      // it may allocate, and does not break the budget
	Unchecked State = "unchecked" // nothing is known of the place
)

// A Source is where a finding comes from.
type Source string

const (
	Compiler  Source = "compiler"
	Binary    Source = "binary"
	Benchmark Source = "benchmark"
)

// A Finding is something that was found about a budget.
type Finding struct {
	Budget Budget
	State  State
	Source Source // "" of an unchecked one

	Package  string // where it was found, as in why.Site
	Function string
	File     string
	Path     string
	Line     int
	Column   int
	Site     int     // index into why.Report.Sites, -1 for none
	Measured float64 // allocations per operation, of a benchmark
	Says     string  // a sentence
}
