package history

import (
	"cmp"

	"memcost/internal/measure/plan"
	"memcost/internal/report/figures"
)

// A Point is a commit, or a release of Go.
type Point struct {
	Name   string       `json:"name"` // "abc1234", "go1.25.4"
	Source *plan.Source `json:"source,omitempty"`
	Merge  bool         `json:"merge,omitempty"` // a merge commit, which stands for all that it merged
}

// A Benchmark is one of a package; of an absence, without a name, all of a package.
type Benchmark struct {
	Package string `json:"package"`
	Name    string `json:"name"`
}

func compareBenchmarks(a, b Benchmark) int {
	return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
}

// An ID names a metric of a benchmark.
type ID struct {
	Benchmark
	Unit string `json:"unit"`
}

// What a comparison says.
const (
	Changed    = "changed"
	Equivalent = "equivalent"
	Undecided  = "undecided"
)

// A Comparison is what a step says of two of its points, which are numbers.
type Comparison struct {
	ID
	From    int            `json:"from"`
	To      int            `json:"to"`    // later than From
	Ratio   figures.Figure `json:"ratio"` // To over From
	Verdict string         `json:"verdict"`
}

// A Failure is a point that could not be built or run.
type Failure struct {
	Point  int    `json:"point"`
	Reason string `json:"reason"`
}

// An Absence is a benchmark that a point does not have.
type Absence struct {
	Benchmark
	Point int `json:"point"`
}

// A Step is two or three points that are measured side by side, each compared with the next.
// One in which a point failed compares nothing.
type Step struct {
	Points      []int        `json:"points"`               // ascending
	Benchmarks  []Benchmark  `json:"benchmarks,omitempty"` // none: all that there are
	Folder      string       `json:"folder,omitempty"`     // of its samples
	Done        bool         `json:"done"`
	Seconds     float64      `json:"seconds,omitempty"` // that it took
	Failed      []Failure    `json:"failed,omitempty"`
	Absent      []Absence    `json:"absent,omitempty"`
	Comparisons []Comparison `json:"comparisons,omitempty"`
}
