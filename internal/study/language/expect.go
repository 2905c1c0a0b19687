package language

import (
	"errors"
	"fmt"
	"strings"
)

const (
	expectForm  = "//memcost:expect SELECTOR UNIT OP BOUND [# prose]"
	expectForms = "//memcost:expect SELECTOR UNIT OP BOUND or //memcost:expect SELECTOR stays-on-stack FUNC, " +
		"with [# prose] at the end"
	stackForm = "//memcost:expect SELECTOR stays-on-stack FUNC[, FUNC] [# prose]"
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
