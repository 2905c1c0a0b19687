package language

import (
	"fmt"
)

// builder collects a study. It keeps the positions of directives that may occur only
// once.
type builder struct {
	study     *Study
	ids       map[string]Pos
	questions []Pos
	versions  []Pos
	commands  []Pos
	samples   []Pos
	builds    []Pos
	floors    []Pos
	legacy    bool // the directives are of a run folder from before study.toml
}

// A verb is a directive: its name, its right form and what reads it.
type verb struct {
	name, form string
	parse      func(*builder, Directive) error
}

// moreVerb continues the directive on the line above.
const moreVerb = "more"

// formError is a mistake whose right form is narrower than its verb's.
type formError struct{ msg, form string }

func (e *formError) Error() string { return e.msg }

func formed(err error, form string) error {
	if err == nil {
		return nil
	}
	return &formError{err.Error(), form}
}

func (b *builder) warn(d Directive, msg string) {
	if msg != "" {
		b.study.Warnings = append(b.study.Warnings, syntaxError(d, msg, ""))
	}
}

// onlyOnce keeps the first of a directive that a study has once.
func onlyOnce(seen *[]Pos, d Directive) error {
	*seen = append(*seen, d.Pos)
	if len(*seen) > 1 {
		return fmt.Errorf("a study has one %s, and there is one at %s", prefix+d.Verb, (*seen)[0])
	}
	return nil
}

func (b *builder) unit(l *lexer, d Directive) (unit, error) {
	w := l.peekWord()
	if w == "#" {
		w = ""
	}
	u, err := newUnit(w)
	if err == nil {
		l.word()
		b.warn(d, u.warning())
	}
	return u, err
}
