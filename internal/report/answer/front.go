// Package answer computes what a reader meets first: the answer in a sentence, the cost of a
// block by every means on one axis, what to do, which conclusions hold and fail, and how far
// the run can be trusted. A Front is data, the same for terminal, page, Markdown and JSON; it
// is computed from answers of package result, and speaks of decided claims only.
package answer

import (
	"memcost/internal/method/claim"
	"memcost/internal/report/across"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// A Front is what one or several runs answer, in the order in which a reader meets it. The
// newest run is "here"; the others stand beside it.
type Front struct {
	// "What does memory cost here?"; of one study, what it asks
	Question string     `json:"question"`
	Answer   []Sentence `json:"answer"` // one to three: that nothing is decided, that cases failed
	// what several machines, or the only one, lack of the plan: said before all else; "" if nothing
	Incomplete string `json:"incomplete,omitempty"`
	// begins the answer where there are several: "On board-7:", whose it is
	Whose string `json:"whose,omitempty"`
	// begins the answer: "On a disturbed machine:"; "" if it is not
	Disturbed string   `json:"disturbed,omitempty"`
	Machine   string   `json:"machine"`           // "AMD EPYC, 2 CPUs, 23.5 GiB, linux, virtual (kvm)"
	Tools     []string `json:"tools"`             // "go1.26.8", "g++ 12.2.0"
	Created   string   `json:"created,omitempty"` // the day, 2026-11-22
	Run       string   `json:"run_folder"`

	// where settings and allocators lie furthest apart, each with a count that is its cause
	Extremes []Sentence `json:"extremes,omitempty"`
	// Own says that nothing in it is a shipped study: the front is of the user's own benchmarks, and
	// speaks of their time, their allocations and what changed
	Own bool `json:"own,omitempty"`

	Axis    *Axis     `json:"axis,omitempty"` // nil: no case of any means was measured
	Studies []Study   `json:"studies"`        // in the order of their cards
	Tally   Tally     `json:"tally"`          // of all studies
	Advice  []Advice  `json:"advice"`         // at most MaxAdvice, Go first
	Failing []Failing `json:"published_that_fail"`
	Trust   Trust     `json:"trust"`
	LeftOut []LeftOut `json:"left_out"` // shipped studies that the run does not have
	// of several Go versions: how many cases changed, are equivalent, undecided
	Releases string `json:"releases,omitempty"`
	// what several machines say together; nil of one
	Machines *across.Report `json:"machines,omitempty"`
	Next     []Next         `json:"next"`
}

// MaxAdvice is how many lines of advice a reader takes in.
const MaxAdvice = 8

// A Sentence is text with its figures told apart, so that a renderer can set numbers and
// intervals in type of their own; a Part is a piece of it.
type (
	Sentence = language.Sentence
	Part     = language.Part
)

// Kinds of parts.
const (
	Number   = language.Number   // "3.7"
	Interval = language.Interval // "[3.2, 5.7]"
)

// An Axis is the cost of a block by its size, by every means that was measured.
type Axis struct {
	// "time to have a block of n bytes, zeroed and touched, and to give it back"
	What string `json:"what"`
	// that curves are stand-ins, and by how much they differ; "" if they are not
	Note      string     `json:"note,omitempty"`
	Sizes     []int64    `json:"sizes"`           // bytes, ascending: of all curves here
	Means     []Mean     `json:"means"`           // in the order of the legend: Go, then C; the floors last
	Ratio     *AxisRatio `json:"ratio,omitempty"` // the row below the first two means
	Caches    []Cache    `json:"caches"`
	Crossings []Crossing `json:"crossings"` // decided, or the undecided with their intervals
	Missing   []string   `json:"missing"`   // what no curve shows, and why: "Go stack above 1 MiB: …"
}

// A Mean is one curve of an Axis: a means of having memory, on one run and configuration.
type Mean struct {
	// "heap", "stack", "pool", "pool-left", "arena", "slab", "c-glibc", "c-mmap" …: study.toml's mean
	Key       string  `json:"key"`
	Label     string  `json:"label"`              // "Go heap"
	Short     string  `json:"short"`              // for narrow places: "heap"
	Family    string  `json:"family"`             // stack, heap, pool, arena, slab, c, floor: its colour
	Dash      int     `json:"dash"`               // 0 is solid; others tell means of one family apart
	Study     string  `json:"study"`              // that measured it
	Run       int     `json:"run"`                // index of the answer, 0 is here
	Data      string  `json:"data"`               // the configuration, or the published machine
	StandIn   bool    `json:"stand_in,omitempty"` // its operation is only the nearest to that of the axis
	Published bool    `json:"published,omitempty"`
	Points    []Point `json:"points"`         // ascending
	Ends      string  `json:"ends,omitempty"` // why it ends before the last size
	Note      string  `json:"note,omitempty"` // what exactly is measured
	// Asked says that a picture draws the curve only when it is asked to.
	Asked bool `json:"asked,omitempty"`

	shown string // when it is drawn, as study.toml says
}

// A Point is a figure of a Mean.
type Point struct {
	Size   int64          `json:"size"`
	Case   string         `json:"case"`
	Figure figures.Figure `json:"figure"`           // seconds per block
	Hollow bool           `json:"hollow,omitempty"` // not this curve's own study, or undecided
	Flag   string         `json:"flag,omitempty"`   // a reservation: †
}

// An AxisRatio is one means over another at each size where both were measured.
type AxisRatio struct {
	Label  string  `json:"label"`     // "heap / stack"
	Num    string  `json:"numerator"` // Key of the Mean
	Den    string  `json:"denominator"`
	Points []Point `json:"points"`
}

// A Cache is a size of the machine's caches.
type Cache struct {
	Label string `json:"label"` // "L1 cache 48 KiB"
	Bytes int64  `json:"bytes"`
}

// A Crossing is a size from which one means is cheaper than another.
type Crossing struct {
	Says    Sentence `json:"says"`
	Claim   string   `json:"claim"`
	Decided bool     `json:"decided"`
	Size    int64    `json:"size,omitempty"` // 0: they do not cross
}

// A Study is a card: what a study asks, its answer, and its tally.
type Study struct {
	Name     string             `json:"name"`
	Ask      string             `json:"ask"`
	Answer   Sentence           `json:"answer"`
	Short    Sentence           `json:"short"`            // the same in at most 70 columns, for the terminal's table
	Claim    string             `json:"claim,omitempty"`  // that the answer rests on
	Status   claim.Status       `json:"status,omitempty"` // its
	Tally    Tally              `json:"tally"`
	Title    string             `json:"title,omitempty"`     // of its picture: the answer in other words
	Key      int                `json:"key"`                 // index into result.Study.Pictures of its picture; −1: none
	Run      int                `json:"run"`                 // index of the answer
	Study    int                `json:"suite"`               // index into its studies
	Article  []language.Article `json:"article,omitempty"`   // whose conclusions it tests
	Claims   []Claim            `json:"claims"`              // the columns of its part of the matrix
	Lines    []Line             `json:"lines"`               // its rows: here, other runs, published machines
	FullOnly string             `json:"full_only,omitempty"` // what only --full measures, with the command
}

// A Claim is a column of the matrix.
type Claim struct {
	ID    string `json:"id"`
	Prose string `json:"prose"`
	Own   bool   `json:"own,omitempty"`
}

// A Line is a row of the matrix: a data set with its verdicts, one for each claim.
type Line struct {
	Name      string `json:"name"` // "here", a label, "Apple M1 Max"
	Published bool   `json:"published,omitempty"`
	Cells     []Cell `json:"cells"`
}

// A Cell is one verdict.
type Cell struct {
	Status claim.Status `json:"status"` // holds, fails, undecided, not tested, INVALID
	Says   string       `json:"says"`   // verdict and figure in words: "holds 2.35× at 1 MiB"
}

// A Tally counts verdicts here.
type Tally struct {
	Hold      int `json:"hold"`
	Fail      int `json:"fail"`
	AtBound   int `json:"at_the_bound,omitempty"`
	Undecided int `json:"undecided"`
	NotTested int `json:"not_tested"` // the quick profile leaves their cases out, or machines are missing
	Invalid   int `json:"invalid"`    // INVALID or failed cases keep them from being tested
}

// Add adds another tally to it.
func (t *Tally) Add(o Tally) {
	t.Hold += o.Hold
	t.Fail += o.Fail
	t.AtBound += o.AtBound
	t.Undecided += o.Undecided
	t.NotTested += o.NotTested
	t.Invalid += o.Invalid
}

// Count counts a verdict.
func (t *Tally) Count(status claim.Status) {
	switch status {
	case claim.Holds:
		t.Hold++
	case claim.Fails:
		t.Fail++
	case claim.AtBound:
		t.AtBound++
	case claim.Undecided:
		t.Undecided++
	case claim.Invalid:
		t.Invalid++
	default:
		t.NotTested++
	}
}

// All returns how many claims were counted.
func (t Tally) All() int { return t.Hold + t.Fail + t.AtBound + t.Undecided + t.NotTested + t.Invalid }

// Advice is a line of what to do; it rests on a decided claim.
type Advice struct {
	Do      string       `json:"do"`      // imperative: "Pass and return values, not pointers, up to 1 MiB"
	When    string       `json:"when"`    // the condition under which it was measured
	Because Sentence     `json:"because"` // what the other way costs
	Times   string       `json:"times"`   // "3.7–15×"
	Study   string       `json:"study"`
	Claim   string       `json:"claim"`
	Status  claim.Status `json:"status"` // of the claim: holds or fails
	Prose   string       `json:"prose"`
	Common  bool         `json:"common,omitempty"` // it answers what most people ask first
	Family  string       `json:"family,omitempty"` // go or c

	effect float64
}

// A Failing is a published conclusion that its author's figures bear out, and that fails here.
type Failing struct {
	Study     string `json:"study"`
	Claim     string `json:"claim"`
	Prose     string `json:"prose"`
	Published string `json:"published"` // the author's figure: "exponent 1.10"
	Here      string `json:"here"`
}

// Trust says how far a run can be relied on.
type Trust struct {
	// the verdict in a sentence: "The machine was quiet; two copies of the same code differed by up to 1.3×."
	Says      string `json:"says,omitempty"`
	Processes int    `json:"processes"`
	Rounds    int    `json:"rounds"`
	Excluded  string `json:"excluded,omitempty"` // "3 of 40 rounds excluded: …"; "" if none
	Noise     string `json:"noise,omitempty"`    // each of the cases that have a copy, with its interval
	// what comes first, if the machine was disturbed or is unfit
	Amber       string   `json:"amber,omitempty"`
	Certificate string   `json:"certificate,omitempty"`
	Invalid     int      `json:"invalid"`                // cases that are INVALID or failed
	InvalidSays string   `json:"invalid_says,omitempty"` // of only one: which, and why
	Warnings    []string `json:"warnings"`
	Together    string   `json:"together,omitempty"` // how many verdicts stand when counted together
}

// A LeftOut is a shipped study that a run does not have.
type LeftOut struct {
	Study   string `json:"study"`
	Command string `json:"command"`
}

// Next is a command that says more, and what it says.
type Next struct {
	Command string `json:"command"`
	Does    string `json:"does"`
}
