package figures

import (
	"math"
	"slices"
)

// A Picture is the figures of a table, to be drawn: of every arm of the run, and
// of every published data set.
type Picture struct {
	Kind     string // catalog.Curve, Forest, Dots or Steps
	Title    string // its author's
	By       string // the key along the axis
	Columns  []string
	Sides    []Sides // of the columns of a study's ratios, in their order; nil: the columns are named by their headers
	Roofline int     // the column that is the floor under the others; −1 is none
	Bounds   []Bound
	Sets     []PictureSet
	LeftOut  int  // columns that are not drawn because there are too many
	Busy     bool // the figures are those of a busy machine: their intervals tell of no side that costs more
}

// A PictureSet is one data set's part of a picture.
type PictureSet struct {
	Data      string // the arm, or the published machine
	Published bool
	Rows      []Row
	Notes     []string
}

// A Bound is what a claim allows, drawn into a picture.
type Bound struct {
	Claim  string
	Lo, Hi float64 // −Inf and +Inf where it is open
}

// Numeric reports whether the values of the key are numbers.
func (p *Picture) Numeric() bool {
	return !slices.ContainsFunc(p.labels(), func(l string) bool { _, err := labelNumber(l); return err != nil })
}

// labels returns the values of the key in any set, in the order of a table's rows.
func (p *Picture) labels() []string {
	var out []string
	for _, s := range p.Sets {
		for _, r := range s.Rows {
			if !slices.Contains(out, r.Label) {
				out = append(out, r.Label)
			}
		}
	}
	slices.SortStableFunc(out, CompareLabels)
	return out
}

func (p *Picture) Lead() int {
	if p.Roofline >= 0 || len(p.Bounds) > 0 || p.By == "case" {
		return 1
	}
	return 0
}

func (p *Picture) HasFigures() bool {
	for _, s := range p.Sets {
		for _, r := range s.Rows {
			if slices.ContainsFunc(r.Cells, func(f Figure) bool { return !math.IsNaN(float64(f.Value)) }) {
				return true
			}
		}
	}
	return false
}

// MaxForest is how many lines of a forest plot one can read.
const MaxForest = 60

// Beside is what stands after a figure of a busy machine.
const Beside = "beside other programs"
