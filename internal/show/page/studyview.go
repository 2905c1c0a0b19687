package page

import (
	"html/template"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// A studyView is one study, of all runs that measured it.
type studyView struct {
	Name, Anchor string
	Index        int
	Card         *answer.Study // of the front; nil where there is none
	Key          *pictureView  // the card's picture
	Open         bool          // the evidence is, from the start
	Data         template.JS   // of its pictures but for the card's
	Question     string
	Answers      []answerView
	Pictures     [][]pictureView // in columns
	Evidence     [][]pictureView
	Columns      []setView // of the claims' table
	Claims       []claimView
	Details      []string
	Reasons      []reasonView
	ReasonArms   bool // the reasons differ between data sets: their table has a column for it
	Problems     []problemView
	Cases        []caseView
	SeveralArms  bool // the cases' table has a column for the data set
	Compared     bool // and one for the ratio to the first arm
	Others       bool // and one for what else was reported
	Reproduce    []reproduce
	Recordings   []recordingView
	Tables       []shownTable
	LeftOut      bool // something was left out of a run before it was measured
}

// Valid says that nothing is wrong with the cases.
func (s studyView) Valid() string {
	if s.LeftOut {
		return "No case that was measured is invalid, and none failed; the warnings name what was left out."
	}
	return "No case is invalid, and no case failed."
}

type shownTable struct {
	Config string
	figures.Table
}

// A fact is a name and what stands beside it.
type fact struct{ Name, Value string }

type answerView struct{ Label, Text string }

type setView struct {
	Label     string
	Published bool
}

type claimView struct {
	ID, Anchor, Says, Text, Pos string
	Cells                       []verdictView
	Releases                    []figures.Span // of many toolchains, where the verdict changes
}

func (c claimView) marked() bool {
	return slices.ContainsFunc(c.Cells, func(v verdictView) bool { return strings.Contains(v.Figures, result.Mark) })
}

type verdictView struct {
	Status, Figures string
}

// Class returns the class of a verdict's cell: "verdict not-tested".
func (v verdictView) Class() string { return "verdict " + strings.ReplaceAll(v.Status, " ", "-") }

// A reasonView is one reason, in a row; the case stands in the first row of its reasons.
type reasonView struct {
	result.ReasonRow
	Case, Label, Allocs string
	Rows                int // that the case's cells reach over; 0 below the first
}

type problemView struct {
	result.Problem
	Label string
}

type caseView struct {
	Name, Label, Time, Bytes, Allocs, Against, Samples, Others, Notes string
	Bad                                                               bool
}

type reproduce struct {
	Label, Command string
	Facts          []fact
}

// part is a study in one of the answers.
type part struct {
	run    int
	answer *result.Answer
	suite  *result.Suite
}

// A pictureView is a picture's frame: its title, and the table behind it.
type pictureView struct {
	ID, Kind, Sentence, Caption string
	Groups                      []group // of columns, over Header
	Header                      []string
	Rows                        [][]cellView
	Notes                       []string
}

type group struct {
	Label string
	Span  int
}

type cellView struct {
	Text string
	Bad  bool
}

// Ask returns what the study asks.
func (s studyView) Ask() string {
	if s.Card != nil && s.Card.Ask != "" {
		return s.Card.Ask
	}
	return s.Question
}

// Summary says what a card holds behind it: "11 claims, 5 tables, 46 cases".
func (s studyView) Summary() string {
	tables := len(s.Recordings)
	for _, column := range slices.Concat(s.Pictures, s.Evidence) {
		tables += len(column)
	}
	var say []string
	for _, x := range []struct {
		n   int
		one string
	}{{len(s.Claims), "claim"}, {tables, "picture"}, {len(s.Cases), "case"}} {
		if x.n > 0 {
			say = append(say, units.Plural(x.n, x.one))
		}
	}
	return strings.Join(append(say, "validity", "how to reproduce it"), ", ")
}
