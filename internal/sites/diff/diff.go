// Package diff puts the allocation sites of two reports beside each other: which are gone,
// new, moved or changed. Two reports are of two revisions, or of two Go versions.
package diff

import "memcost/internal/sites"

// A Diff is what became of the sites of an old report in a new one.
type Diff struct {
	Old  Side     `json:"old"`
	New  Side     `json:"new"`
	Says []string `json:"says"` // the answer, in sentences
	// Notes are what limits the comparison, a sentence each.
	Notes      []string    `json:"notes"`
	Counts     Counts      `json:"counts"`
	Benchmarks []Benchmark `json:"benchmarks"` // of both sides, those on one side only last
	Sites      []Change    `json:"sites"`      // gone, new, changed, moved, same; in each those that matter most first
}

// A Side is one of the two reports.
type Side struct {
	Name     string `json:"name"` // the revision or the Go version, whichever differs
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision"`
	Mode     string `json:"mode"`
	Exact    bool   `json:"exact"`
}

// Counts says how many sites there are of each kind, of those that can be compared.
type Counts struct {
	Gone     int `json:"gone"`
	New      int `json:"new"`
	More     int `json:"cost_more"` // of those that changed
	Less     int `json:"cost_less"`
	Mixed    int `json:"mixed"` // more in one respect, less in another
	Moved    int `json:"moved"`
	Same     int `json:"same"`
	Probably int `json:"probably_the_same"` // of all pairs: matched although the identity differs
	// Idle are sites that are gone or new and allocated nothing in any benchmark of both sides.
	Idle int `json:"idle"`
}

// A Kind is what became of a site.
type Kind string

// The kinds, in the order in which they are listed.
const (
	Gone    Kind = "gone"
	New     Kind = "new"
	Changed Kind = "changed" // its cost
	Moved   Kind = "moved"   // it stands at another line, or in another file or function
	Same    Kind = "same"
)

// A Change is a site on both sides, or on one.
type Change struct {
	Kind Kind   `json:"kind"`
	Old  *Place `json:"old"` // nil: it is new
	New  *Place `json:"new"` // nil: it is gone
	// Probably says why both are taken for the same site although their identity differs: ""
	// where it does not.
	Probably string `json:"probably_the_same"`
	// Idle reports that a site on one side only allocated nothing in the benchmarks that both
	// sides have.
	Idle  bool         `json:"idle"`
	Costs []CostChange `json:"costs"` // a benchmark of both sides each, the largest change first
}

// A Place is what a site is called and where it stands.
type Place struct {
	ID       string      `json:"id"`
	Class    sites.Class `json:"class"`
	Cause    sites.Cause `json:"cause"`
	Advice   string      `json:"advice"`
	Package  string      `json:"package"`
	Function string      `json:"function"`
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Text     string      `json:"source"`
	Expr     string      `json:"expression"`
}

// A CostChange is what a site costs in a benchmark of both sides.
type CostChange struct {
	Benchmark int `json:"benchmark"` // index into Diff.Benchmarks
	// What an operation allocates at the site, and the share of CPU time that this takes.
	Objects Pair      `json:"objects"`
	Bytes   Pair      `json:"bytes"`
	Share   PairShare `json:"share"`
}

// A Pair is a figure of both sides.
type Pair struct {
	Old     float64 `json:"old"`
	New     float64 `json:"new"`
	Changed bool    `json:"changed"` // by more than counting can be wrong
}

// A PairShare is a figure with its interval, of both sides.
type PairShare struct {
	Old     sites.Interval `json:"old"`
	New     sites.Interval `json:"new"`
	Changed bool           `json:"changed"` // the intervals are apart
}

// A Benchmark is one of either side, with all that it allocates.
type Benchmark struct {
	Package string `json:"package"`
	Name    string `json:"name"`
	// Only is "old" or "new" where the other side does not have it, or failed; "neither" where
	// both failed. Why is the failure.
	Only    string    `json:"only"`
	Why     string    `json:"why"`
	Objects Pair      `json:"objects"`
	Bytes   Pair      `json:"bytes"`
	Time    PairShare `json:"seconds"`
}

// Delta returns the difference.
func (p Pair) Delta() float64 { return p.New - p.Old }

// Any reports whether a cost changed.
func (c CostChange) Any() bool { return c.Objects.Changed || c.Bytes.Changed || c.Share.Changed }

// Place returns the site on the new side, or on the old one where it is gone.
func (c Change) Place() *Place {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// Versioned are comparisons as JSON has them.
type Versioned struct {
	Schema      int    `json:"schema"` // rises when a field is removed or changes its meaning
	Comparisons []Diff `json:"comparisons"`
}

// NewVersioned returns comparisons for JSON.
func NewVersioned(diffs []Diff) Versioned { return Versioned{1, append([]Diff{}, diffs...)} }
