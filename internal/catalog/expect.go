package catalog

import (
	"errors"
	"fmt"
	"strings"
)

const (
	expectForm = "//memcost:expect SELECTOR UNIT OP BOUND [# prose]"
	stackForm  = "//memcost:expect SELECTOR stays-on-stack FUNC[, FUNC] [# prose]"
)

func (b *builder) expect(d Directive) error {
	l := &lexer{s: d.Text}
	e := Expect{Pos: d.Pos}
	var err error
	if e.Sel, err = l.newSelector(d.Scope); err != nil {
		return err
	}
	if l.peekWord() == "stays-on-stack" {
		l.word()
		err = formed(e.stack(l), stackForm)
	} else {
		err = formed(b.measured(l, d, &e), expectForm)
	}
	if err != nil {
		return err
	}
	b.study.Expects = append(b.study.Expects, e)
	return nil
}

func (b *builder) measured(l *lexer, d Directive, e *Expect) error {
	u, err := newUnit(l.word())
	if err != nil {
		return err
	}
	if err := u.sampled(); err != nil {
		return err
	}
	b.warn(d, u.warning())
	if e.Cond, err = l.cond(u); err != nil {
		return err
	}
	e.Unit = u.name
	e.Source, e.Prose, err = l.finish()
	return err
}

func (e *Expect) stack(l *lexer) error {
	list, source, prose := l.untilProse()
	for _, f := range strings.Split(list, ",") {
		f = strings.TrimSpace(f)
		switch {
		case f == "":
			return errors.New("a function is missing")
		case strings.ContainsAny(f, " \t"):
			return fmt.Errorf("%q is not one function: several are separated by commas", f)
		}
		e.Funcs = append(e.Funcs, f)
	}
	e.Source, e.Prose = source, prose
	return nil
}

// newSelector reads the selector that stands next.
func (l *lexer) newSelector(scope string) (Selector, error) {
	text := l.selector()
	if text == "" {
		switch w := l.peekWord(); {
		case strings.Contains(strings.Trim(w, "<>=!"), "="):
			return Selector{}, fmt.Errorf("%q is not a selector: a colon stands between key and value, as in place:stack", w)
		case w != "" && w != "#":
			return Selector{}, fmt.Errorf("a selector must stand before %q, such as place:stack, or * for every case", w)
		}
		return Selector{}, errors.New("the selector is missing; it is written such as place:stack, or * for every case")
	}
	return newSelector(text, scope)
}

// finish checks that nothing but prose is left.
func (l *lexer) finish() (source, prose string, err error) {
	left, source, prose := l.untilProse()
	switch {
	case strings.HasPrefix(left, "#"):
		return "", "", fmt.Errorf("unexpected %q: prose stands after a # and a space", left)
	case left != "":
		return "", "", fmt.Errorf("unexpected %q", left)
	}
	return source, prose, nil
}

// untilProse reads the rest: what is left of the directive, the whole of it before the
// prose, and the prose after a "#" that stands alone.
func (l *lexer) untilProse() (left, source, prose string) {
	start := l.pos
	for {
		end := l.pos
		switch w := l.word(); w {
		case "#":
			return strings.TrimSpace(l.s[start:end]), strings.TrimSpace(l.s[:end]), l.rest()
		case "":
			return strings.TrimSpace(l.s[start:]), strings.TrimSpace(l.s), ""
		}
	}
}
