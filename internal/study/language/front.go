package language

import "strings"

// A Front is what a study.toml has for the front of a report.
type Front struct {
	// Key is the title of the picture that the study's card shows.
	Key string `toml:"key" json:"key,omitempty"`
	// Say holds the answer in a sentence, by the claim's ID and its verdict, Holds or Fails; under
	// Short what fits into a line of a table, whichever the verdict is.
	Say     map[string]map[string]string `toml:"say" json:"say,omitempty"`
	Advise  []Advice                     `toml:"advise" json:"advise,omitempty"`
	Axis    []Mean                       `toml:"axis" json:"axis,omitempty"`
	Article []Article                    `toml:"article" json:"article,omitempty"`
}

// The verdicts that a sentence or an advice can be about, and the sentence of a table.
const (
	Holds = "holds"
	Fails = "fails"
	Short = "short"
)

// Advice says what to do when a claim is decided.
type Advice struct {
	Claim   string `toml:"claim" json:"claim"`     // "C4 holds"
	Do      string `toml:"do" json:"do"`           // imperative, a template
	When    string `toml:"when" json:"when"`       // the condition under which it was measured
	Because string `toml:"because" json:"because"` // what the other way costs, a template
}

// Verdict returns the claim's ID and the verdict that the advice is for.
func (a Advice) Verdict() (id, verdict string) {
	id, verdict, _ = strings.Cut(a.Claim, " ")
	return id, verdict
}

// A Mean is a means of having a block of memory, as a curve of the cost by size.
type Mean struct {
	Mean   string `toml:"mean" json:"mean"`     // its key: "heap", "c-glibc"
	Label  string `toml:"label" json:"label"`   // "Go heap"
	Short  string `toml:"short" json:"short"`   // for narrow places
	Family string `toml:"family" json:"family"` // one of Families: its colour
	Dash   int    `toml:"dash" json:"dash,omitempty"`
	Cases  string `toml:"cases" json:"cases"` // a selector; the cases have a key size
	Note   string `toml:"note" json:"note,omitempty"`
	Ends   string `toml:"ends" json:"ends,omitempty"` // why the curve ends before others do
	// StandIn says that the operation is only the nearest to a block that is zeroed, touched
	// and given back.
	StandIn bool `toml:"stand-in" json:"stand_in,omitempty"`
}

// Families are what the colours of means stand for.
var Families = []string{"stack", "heap", "pool", "arena", "slab", "c", "floor"}

// An Article is a publication whose conclusions a study tests.
type Article struct {
	Title  string `toml:"title" json:"title"`
	Author string `toml:"author" json:"author"`
	Year   int    `toml:"year" json:"year"`
	Link   string `toml:"link" json:"link"`
	// NotTested are conclusions of it that are no claims, each with the reason.
	NotTested []string `toml:"not_tested" json:"not_tested,omitempty"`
	// Conditions are those in which it differs from the quick profile.
	Conditions []string `toml:"conditions" json:"conditions,omitempty"`
}

// A Mistake is what is wrong with a part of the file: "say.C4.holds", "advise.0.do".
type Mistake struct{ Part, Msg, Form string }

// Known is what a Front may name.
type Known struct {
	Claims   []string
	Pictures func(title string) bool
	Selector func(text string) error
}
