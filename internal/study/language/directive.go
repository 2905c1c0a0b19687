package language

import (
	"fmt"
	"strings"
	"unicode"
)

const prefix = "//memcost:"

// Pos is a line of a source file, as a path inside the fs.FS that was read.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// A Directive is one //memcost: comment, not yet understood. A run folder stores
// directives, and Parse understands them without the source.
type Directive struct {
	Verb string `json:"verb"` // "claim"
	Text string `json:"text"` // what follows the verb, without surrounding space
	// Scope is the base name, without "Benchmark", of the benchmark whose doc comment
	// holds the directive; "" means the whole study.
	Scope string `json:"scope,omitempty"`
	Pos   Pos    `json:"pos"`
}

func (d Directive) String() string {
	if d.Text == "" {
		return prefix + d.Verb
	}
	return prefix + d.Verb + " " + d.Text
}

func newDirective(text, scope string, pos Pos) Directive {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	verb, remainder := text, ""
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		verb, remainder = text[:i], strings.TrimSpace(text[i:])
	}
	return Directive{Verb: verb, Text: remainder, Scope: scope, Pos: pos}
}
