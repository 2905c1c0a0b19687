package language

import (
	"fmt"
	"slices"
	"strings"
)

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
	// Work says in some of its sentences' words what its operation does with a block: a figure that
	// another study has for the same two means needs one of them in the same line.
	Work []string `toml:"work" json:"work,omitempty"`
	// Extremes is the table of which the front says the largest ratios.
	Extremes *Extremes `toml:"extremes" json:"extremes,omitempty"`
}

// Extremes names a table of ratios by size, of which the front says the largest, whether a claim
// foresaw them or not, each with a count of both sides that is its cause.
type Extremes struct {
	Table   string `toml:"table" json:"table"`     // its title
	Counts  string `toml:"counts" json:"counts"`   // the unit of the count: "faults/op"
	Counted string `toml:"counted" json:"counted"` // in words: "page faults a block"
}

// The verdicts that a sentence or an advice can be about, and the sentence of a table.
const (
	Holds = "holds"
	Fails = "fails"
	Short = "short"
)

// Advice says what to do when a claim is decided.
type Advice struct {
	Claim string `toml:"claim" json:"claim"` // "C4 holds"
	// Common says that it answers what most people ask first: it stands before other advice.
	Common  bool   `toml:"common" json:"common,omitempty"`
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
	// Shown is when a picture draws the curve without being asked to: Always, or Cheapest of those
	// that say so; "" is never, where other curves say it.
	Shown string `toml:"shown" json:"shown,omitempty"`
	// StandIn says that the operation is only the nearest to a block that is zeroed, touched
	// and given back.
	StandIn bool `toml:"stand-in" json:"stand_in,omitempty"`
}

// When a picture draws the curve of a means without being asked to.
const (
	Always   = "always"
	Cheapest = "if-cheapest"
)

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

// A Sentence is text with its figures told apart, so that a renderer can set numbers and
// intervals in type of their own.
type Sentence []Part

// A Part is a piece of a Sentence, with its spaces.
type Part struct {
	Text string `json:"text"`
	Kind string `json:"kind,omitempty"` // "", Number or Interval
}

// Kinds of parts.
const (
	Number   = "number"   // "3.7"
	Interval = "interval" // "[3.2, 5.7]"
)

// Plain returns a sentence without figures.
func Plain(text string) Sentence { return Sentence{{Text: text}} }

// String returns the sentence as plain text.
func (s Sentence) String() string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Placeholders are what stands in braces in a template, with what replaces it: figures of the
// verdict of the claim that the sentence is about.
var Placeholders = map[string]string{
	"n":             "how many places were judged",
	"lo":            "the smallest figure of the claim, with its interval",
	"hi":            "the largest figure of the claim, with its interval",
	"lo.at":         "where the smallest is",
	"hi.at":         "where the largest is",
	"value":         "the figure that decides, with its interval",
	"at":            "where that is",
	"first":         "the first place",
	"last":          "the last place",
	"failing":       "how many places fail",
	"first.failing": "the first place that fails",
	"first.holding": "the first place that holds",
	"from":          "the first place from which on all hold",
	"upto":          "the last place before that",
	"inverse":       "1 over the figure that decides, with its interval",
	"times":         "2 to the power of the exponent that decides: what twice the size takes",
}

// A Template is a text with placeholders in braces.
type Template struct {
	parts []piece
}

// A piece is a text, or a placeholder.
type piece struct {
	text string
	hole bool
}

// Parse reads a template. A brace that is no placeholder's, and an unknown one, are errors.
func ParseTemplate(text string) (t Template, err error) {
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		if strings.Contains(before, "}") {
			return t, fmt.Errorf(`a "}" stands alone in %q`, before)
		}
		if before != "" {
			t.parts = append(t.parts, piece{text: before})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return t, fmt.Errorf(`"}" is missing after {%s`, rest)
		}
		if _, known := Placeholders[name]; !known {
			return t, fmt.Errorf("there is no placeholder {%s}", name)
		}
		t.parts = append(t.parts, piece{name, true})
		text = after
	}
	return t, nil
}

// Holes returns the placeholders of a template, each once.
func (t Template) Holes() []string {
	var out []string
	for _, p := range t.parts {
		if p.hole && !slices.Contains(out, p.text) {
			out = append(out, p.text)
		}
	}
	return out
}

// Fill puts figures in the place of placeholders. It returns false where one of them has
// nothing to stand for.
func (t Template) Fill(value func(placeholder string) (Sentence, bool)) (Sentence, bool) {
	var out Sentence
	for _, p := range t.parts {
		if !p.hole {
			out = append(out, Part{Text: p.text})
			continue
		}
		v, ok := value(p.text)
		if !ok {
			return nil, false
		}
		out = append(out, v...)
	}
	return out, len(out) > 0
}
