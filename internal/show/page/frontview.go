package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/report/answer"
	"memcost/internal/report/result"
)

// A frontView is a front, and what its tables, switches and links need.
type frontView struct {
	*answer.Front
	Curves    *curvesView
	Here      []readView // the read-out at the size where it starts
	At        string     // that size
	Series    []string   // what can be shown beside the curves of here
	Verdicts  []matrixStudy
	Published bool // a row of them is of a published machine
	Counted   bool // a row of them counts several machines
	Theirs    int  // how many of the claims restate a published conclusion
	Filters   []filterView
	Advised   []adviceView
	Fails     []failingView
	Invalid   string // where the first study with an INVALID or failed case says so
}

type adviceView struct {
	answer.Advice
	Href, Class, Mark string
}

type failingView struct {
	answer.Failing
	Href string
}

// A filterView is a switch that leaves the verdicts of one kind.
type filterView struct {
	Kind, Mark, Says string
	Count            int
}

// mostRows is how many machines a study's part of the matrix shows; the verdicts of more are
// counted.
const mostRows = 6

// A matrixStudy is the verdicts of one study: a row for each machine.
type matrixStudy struct {
	Name, Anchor string
	Rows         []matrixRow
}

type matrixRow struct {
	Name  string
	Here  bool
	Cells []matrixCell
}

// A matrixCell is one verdict, or how many of several hold.
type matrixCell struct {
	Class, Mark, Href, Label, Says string
}

// A curvesView is the table of the picture on one axis: a row for each curve.
type curvesView struct {
	Sizes  []string
	Rows   []curveRow
	Series bool // a column says whose a curve is
}

type curveRow struct {
	Label, Series, Study, Note string
	Cells                      []cellView
}

// A readView is a figure of the read-out.
type readView struct {
	Label, Family          string
	Dash                   int
	Value, Interval, Ratio string
	Mean                   int // its index among the curves
}

// copyOf returns a front of one's own: what is shown is cleaned in place.
func copyOf(f *answer.Front) (*answer.Front, error) {
	if f == nil {
		return nil, nil
	}
	text, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("reading the front of the page: %w", err)
	}
	own := &answer.Front{}
	if err := json.Unmarshal(text, own); err != nil {
		return nil, fmt.Errorf("reading the front of the page: %w", err)
	}
	return own, nil
}

func filters(t answer.Tally) []filterView {
	all := []filterView{{"all", "", "in all", t.All()}, {"holds", mark("holds"), "hold", t.Hold},
		{"fails", mark("fails"), "fail", t.Fail}, {"undecided", mark("undecided"), "undecided", t.Undecided},
		{"not-tested", mark("not tested"), "not tested", t.NotTested},
		{"INVALID", mark(result.Invalid), result.Invalid, t.Invalid}}
	return slices.DeleteFunc(all, func(f filterView) bool { return f.Count == 0 })
}

// class returns the class of a verdict.
func class(status string) string { return strings.ReplaceAll(status, " ", "-") }

// mark returns the form of a verdict, for readers who do not see its colour.
func mark(status string) string {
	switch status {
	case "holds":
		return "✓"
	case "fails":
		return "✗"
	case "undecided":
		return "?"
	case result.Invalid:
		return "!"
	}
	return "·"
}
