// Package catalog reads studies from the source of plain benchmark packages: which
// benchmarks there are, what their directive comments expect and claim, and what the
// study.toml beside them shows as the answer.
//
// A study is a folder of benchmarks, in Go or C++. Its directives are comments that
// start with //memcost: and stand beside the code:
//
//	//memcost:go OLDEST                                   oldest Go that compiles it, e.g. 1.18
//	//memcost:floor                                       this benchmark is the empty loop
//	//memcost:full SELECTOR                               left to the full profile
//	//memcost:load [SELECTOR] LOAD ...                    busy cores beside a case: 0, 1, all
//	//memcost:build NAME=VALUE ...                        settings of the go command
//	//memcost:sample TIME                                 least loop time of a sample in the quick profile
//	//memcost:program CASE: FOLDER ARGUMENT ...           a program of the study's that gives one more case
//	//memcost:vary KEY=VALUE ...: NAME=VALUE ARGUMENT ... a way to run a C++ program
//	//memcost:expect SELECTOR UNIT OP BOUND [# prose]     checked on every sample of a case
//	//memcost:expect SELECTOR stays-on-stack FUNC[, FUNC] checked in the compiler's output
//	//memcost:explain SELECTOR in FUNC[, FUNC]            the compiler's words on FUNC stand beside
//	//memcost:claim ID [own] EXPR [# prose]               a testable conclusion
//	//memcost:more TEXT                                   goes on with the line above
//
// A directive in the doc comment of a benchmark is scoped to it (see Selector); one
// that stands elsewhere speaks of the whole study. What is shown (the question, tables,
// pictures, names) stands in study.toml, or memcost.toml: see Show.
//
// The catalogue is never kept by hand: ReadDir and ReadAll read the source, and Parse
// reads what a run folder stored of it, so that a run can be judged when the source is
// gone.
package language

import (
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"
)

// A Study is one folder of benchmarks, with its directives and what is shown of it.
type Study struct {
	Name string // the folder's path below the studies, or the package's name when the folder is "."
	Doc  string // first sentence of the package comment

	Benchmarks []Benchmark   // in the order of file and line
	OldestGo   string        // "1.18", or "" when the study names none
	Floor      string        // the Benchmark that is the empty loop, or ""
	Full       []Selector    // cases that only the full profile measures
	Loads      []Load        // beside which cases are measured
	CPP        bool          // a C++ program on Google Benchmark, not a Go package
	Beside     string        // BesideDir, where a C++ program gives cases beside those of a Go package
	Build      []string      // settings of the go command that builds it, NAME=VALUE
	Programs   []Program     // programs that give further cases
	Variants   []Variant     // ways to run a C++ program
	Sample     time.Duration // least loop time of a sample in the quick profile; 0 is the profile's own
	Expects    []Expect
	Explains   []Explain
	Claims     []Claim
	Directives []Directive // all of the above, as written in the source

	Question  string
	Command   string   // "memcost limits": what finds the figures of a study without benchmarks
	Answer    []string // IDs of the claims that answer the question, the first that is decided first
	Tables    []Table
	Pictures  []Picture
	Published []string // keys of the variants that someone published: "allocator=glibc/setting=default"
	Latency   Latency
	Front     Front
	Means     []Selector // cases of each of Front.Axis
	Show      *Show      // all that is shown, as written in the file; nil in an old run folder
	names     []naming

	// Warnings hold doubtful but usable statements; each is a *SyntaxError.
	Warnings []error
}

// BesideDir is the folder, below a study in Go, of a C++ program on Google Benchmark that gives
// further cases of the same study: they are measured in the same rounds as those in Go.
const BesideDir = "cpp"

// A Load asks for cases to be measured beside busy cores.
type Load struct {
	Sel  Selector
	Busy []string // "0", "1", "all": each makes a case of its own
	Pos  Pos
}

// LoadsOf returns the loads beside which a study measures a case, each once.
func (s *Study) LoadsOf(c *benchfmt.Result) []string {
	var out []string
	for _, l := range s.Loads {
		if !l.Sel.Match(c) {
			continue
		}
		for _, b := range l.Busy {
			if !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}

// A Benchmark is one top-level benchmark function.
type Benchmark struct {
	Name string // without "Benchmark" (Go) or "BM_" (C++)
	Doc  string // first sentence of its doc comment
	Pos  Pos
}

// A Variant is a way to run the program of a C++ study. Every benchmark of the
// program becomes a case for each variant, which bears the variant's keys.
type Variant struct {
	Keys   string   `json:"keys"`             // "allocator=glibc/setting=trim0"; "" for none
	Env    []string `json:"env,omitempty"`    // NAME=VALUE
	Args   []string `json:"args,omitempty"`   // of the program
	Preset string   `json:"preset,omitempty"` // of CMake, by which the program is built; "" for none
	Hint   string   `json:"hint,omitempty"`   // how to get what it needs
	Pos    Pos      `json:"pos"`
}

// A Program is a main package below the study's folder, which prints one line in the Go
// benchmark format. {trace} and {cpuprofile} in its arguments are replaced by the names
// of files that it writes; the figures read from these are added to the case's figures.
type Program struct {
	Case string   `json:"case"` // "Traced/by=copy"
	Dir  string   `json:"dir"`  // "programs/create"
	Args []string `json:"args,omitempty"`
	Pos  Pos      `json:"pos"`
}

// Tabulated returns all that has columns: the tables, and those behind the
// pictures.
func (s *Study) Tabulated() []Table {
	out := slices.Clone(s.Tables)
	for _, p := range s.Pictures {
		out = append(out, p.Table)
	}
	return out
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

// Kind is the kind of comparison that a claim makes.
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

	// Own reports that the claim is the study's own, and of no publication that it
	// re-tests.
	Own bool
	// Published are the figures that someone printed for it, as text; "" is none.
	Published string
	// Margin is the share of its bound within which a figure is at the bound; 0 is 1%.
	Margin float64
	// GoesOn reports that the prose continues that of the claim before: only in run
	// folders from before study.toml (see legacy.go).
	GoesOn bool

	Num Selector // the numerator of Ratio and Across, the subject of Value and Linear
	Den Selector // the denominator of Ratio and Across, else zero

	Unit string // tidied; "sec/op" unless the claim names another
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

// An Explain names the functions in which a case allocates: the compiler's escape
// analysis of them is shown beside the case's figures.
type Explain struct {
	Sel   Selector
	Funcs []string // beginnings of names; {key} is the value of a name's key, in camel case
	Pos   Pos
}

// The kinds of pictures that a study may ask for.
const (
	Curve  = "curve"  // cost against a key whose values are numbers
	Forest = "forest" // ratios with their intervals, one line for each value of the key
	Dots   = "dots"   // figures with their intervals, one line for each value of the key
	Steps  = "steps"  // figures by ByToolchain, and where they change
)

// ByToolchain is the key of tables and pictures that set the toolchains beside each
// other: each column is one case.
const ByToolchain = "toolchain"

// pictureKinds lists the kinds of a Picture.
var pictureKinds = []string{Curve, Forest, Dots, Steps}

// A Picture shows the figures of a table, drawn.
type Picture struct {
	Kind string
	Table
	// Roofline is the header of the column that is drawn as the floor under the
	// others: what the machine's memory can do at all. "" is none.
	Roofline string
	Against  []string // IDs of the claims whose bounds are drawn into it
}

// A Column is one column of a Table: Num's figure, or Num / Den when Den is not zero.
type Column struct {
	Header   string
	Num, Den Selector
	Unit     string // tidied; "sec/op" unless the column names another
	PerKey   string // as in Claim
	// Floor reports that the column is a lower bound of the others: a row in which only
	// this column has a figure is not shown.
	Floor bool
	Pos   Pos
}

// A Table shows a study's answer, one row for each value of the key By.
type Table struct {
	Title   string
	By      string
	Columns []Column
	Pos     Pos
}
