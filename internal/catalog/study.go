// Package catalog reads studies from the source of plain benchmark packages: which
// benchmarks there are, what their directive comments expect and claim, and which
// tables show the answer.
//
// A study is a folder of benchmarks, in Go or C++. Its directives are comments that
// start with //memcost: and stand beside the code:
//
//	//memcost:question TEXT                               what the study answers
//	//memcost:go OLDEST                                   oldest Go that compiles it, e.g. 1.18
//	//memcost:command COMMAND                             finds the figures, for there are no benchmarks
//	//memcost:floor                                       this benchmark is the empty loop
//	//memcost:full SELECTOR                               left to the full profile
//	//memcost:build NAME=VALUE ...                        settings of the go command
//	//memcost:sample TIME                                 least loop time of a sample in the quick profile
//	//memcost:program CASE: FOLDER ARGUMENT ...           a program of the study's that gives one more case
//	//memcost:vary KEY=VALUE ...: NAME=VALUE ARGUMENT ... a way to run a C++ program
//	//memcost:expect SELECTOR UNIT OP BOUND [# prose]     checked on every sample of a case
//	//memcost:expect SELECTOR stays-on-stack FUNC[, FUNC] checked in the compiler's output
//	//memcost:explain SELECTOR in FUNC[, FUNC]            the compiler's words on FUNC stand beside
//	//memcost:claim ID EXPR [# prose]                     a testable conclusion
//	//memcost:table TITLE by KEY: HEADER = COLUMN | ...   how the answer is shown
//	//memcost:picture KIND TITLE by KEY: HEADER = COLUMN  how it is drawn
//
// A directive in the doc comment of a benchmark is scoped to it (see Selector); one
// that stands elsewhere speaks of the whole study. The catalogue is never kept by
// hand: ReadDir and ReadAll read the source, and Parse reads directives that were
// stored, so that a run can be judged when the source is gone.
package catalog

import (
	"fmt"
	"time"
)

// Pos is a line of a source file, as a path inside the fs.FS that was read.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// A Directive is one //memcost: comment, not yet understood. A run folder stores
// directives, and Parse understands them without the source.
type Directive struct {
	Verb string `json:"verb"` // "claim"
	Text string `json:"text"` // what follows the verb, without surrounding space
	// Scope is the base name, without "Benchmark", of the benchmark whose doc comment
	// holds the directive; "" is the whole study.
	Scope string `json:"scope,omitempty"`
	Pos   Pos    `json:"pos"`
}

func (d Directive) String() string {
	if d.Text == "" {
		return prefix + d.Verb
	}
	return prefix + d.Verb + " " + d.Text
}

// A Study is one folder of benchmarks and what its directives say.
type Study struct {
	Name     string // the folder's base name, or the package's when the folder is "."
	Doc      string // first sentence of the package comment
	Question string
	OldestGo string // "1.18", or "" when the study does not say
	Command  string // "memcost limits": what finds the figures of a study without benchmarks

	Benchmarks []Benchmark   // in the order of file and line
	Floor      string        // the Benchmark that is the empty loop, or ""
	Full       []Selector    // cases that only the full profile measures
	CPP        bool          // a C++ program on Google Benchmark, not a Go package
	Build      []string      // settings of the go command that builds it, NAME=VALUE
	Programs   []Program     // programs that give further cases
	Variants   []Variant     // ways to run a C++ program
	Sample     time.Duration // least loop time of a sample in the quick profile; 0 is the profile's own
	Expects    []Expect
	Explains   []Explain
	Claims     []Claim
	Tables     []Table
	Pictures   []Picture
	Directives []Directive // all of the above as they stand in the source

	// Warnings are doubtful but usable things; each is a *SyntaxError.
	Warnings []error
}

// A Benchmark is one top-level benchmark function.
type Benchmark struct {
	Name string // without "Benchmark" (Go) or "BM_" (C++)
	Doc  string // first sentence of its doc comment
	Pos  Pos
}

// An Expect guards validity: a case that Sel matches and that does not meet it is
// INVALID. It is about either a measured unit (Cond) or the compiler's output (Funcs).
type Expect struct {
	Sel Selector

	Unit string // tidied, "allocs/op"; "" when Funcs is set
	Cond Cond   // bounds in Unit

	// Funcs must hold no "moved to heap" and no "escapes to heap".
	Funcs []string

	Prose  string // the author's words after " # "
	Pos    Pos
	Source string // the expectation as written, without the prose
}

// Kind says what a claim compares.
type Kind int

// The kinds of claims.
const (
	Ratio  Kind = iota // Num / Den in Unit meets Cond
	Value              // Num in Unit meets Cond
	Linear             // the exponent of Unit against LinearKey meets Cond
	Across             // Num / Den falls from machine to machine as Weak's throughput in WeakKey rises
)

func (k Kind) String() string {
	return [...]string{"ratio", "value", "linear", "across"}[k]
}

// A Claim is a testable conclusion of a study.
type Claim struct {
	ID    string
	Prose string // the author's words after " # "
	Kind  Kind

	Num Selector // the numerator of Ratio and Across, the subject of Value and Linear
	Den Selector // the denominator of Ratio and Across, else zero

	Unit string // tidied; "sec/op" unless the claim says otherwise
	// PerKey is "size" when the unit is written size/sec: the value of that key in the
	// case's name, divided by sec/op. Unit is then "size/sec", which no sample carries.
	PerKey string

	// Weak and WeakKey are Across's measure of a machine: the throughput of the cases
	// that Weak matches, WeakKey's value divided by sec/op.
	Weak    Selector
	WeakKey string

	// Cond is in Unit for Value, a plain number for Ratio, and the tolerance
	// 0.9..1.1 of the exponent for Linear. Across has none.
	Cond  Cond
	Every []string // Cond must hold for every combination of these keys' values

	LinearKey string // Linear's key

	Pos    Pos
	Source string // the expression as written, without ID and prose
}

// A Column is one column of a Table: Num's figure, or Num / Den when Den is not zero.
type Column struct {
	Header   string
	Num, Den Selector
	Unit     string // tidied; "sec/op" unless the column says otherwise
	PerKey   string // as in Claim
}

// A Table shows a study's answer, one row for each value of the key By.
type Table struct {
	Title   string
	By      string
	Columns []Column
	Pos     Pos
}
