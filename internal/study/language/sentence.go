// This part of the package holds the sentences that a study.toml has for what was found: templates with
// places for figures, what to do when a claim is decided, which cases are a means of having
// memory, and the publication that a study tests. It knows no figures: package answer fills
// the templates.

package language

import "strings"

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
