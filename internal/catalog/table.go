package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// tableHead is "TITLE by KEY:". The title ends at the first "by WORD:".
var tableHead = regexp.MustCompile(`^(.*?)(?:^|\s)by\s+(\S+):(?:\s+|$)`)

const columnForm = "HEADER = SELECTOR [UNIT] or HEADER = SELECTOR / SELECTOR [UNIT], separated by |"

func (b *builder) table(d Directive) error {
	t, err := b.tabulated(d)
	if err == nil {
		b.study.Tables = append(b.study.Tables, t)
	}
	return err
}

// tabulated reads what tables and pictures have in common.
func (b *builder) tabulated(d Directive) (Table, error) {
	t := Table{Pos: d.Pos}
	m := tableHead.FindStringSubmatch(d.Text)
	switch {
	case m == nil:
		return t, errors.New(`"by KEY:" is missing`)
	case strings.TrimSpace(m[1]) == "":
		return t, errors.New("the title is missing")
	}
	var err error
	if t.By, err = newKey(m[2]); err != nil {
		return t, err
	}
	t.Title = strings.TrimSpace(m[1])
	l := &lexer{s: d.Text, pos: len(m[0])}
	for more := true; more; {
		var c Column
		if c, more, err = b.column(l, d); err != nil {
			return t, formed(fmt.Errorf("column %d: %w", len(t.Columns)+1, err), columnForm)
		}
		for _, other := range t.Columns {
			if other.Header == c.Header {
				return t, fmt.Errorf("two columns have the header %q", c.Header)
			}
		}
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}

// column reads up to a "|" that stands alone, which says that there is one more.
func (b *builder) column(l *lexer, d Directive) (c Column, more bool, err error) {
	if l.rest() == "" {
		return c, false, errors.New("it is missing")
	}
	header, _, ok := strings.Cut(l.s[l.pos:], "=")
	if !ok || strings.Contains(header, "|") {
		return c, false, fmt.Errorf(`"=" is missing after the header %q`, strings.TrimSpace(strings.Split(header, "|")[0]))
	}
	l.pos += len(header) + len("=")
	if c.Header = strings.TrimSpace(header); c.Header == "" {
		return c, false, errors.New("the header is missing")
	}
	if c.Num, err = l.newSelector(d.Scope); err != nil {
		return c, false, err
	}
	if l.peekWord() == "/" {
		l.word()
		if c.Den, err = l.newSelector(d.Scope); err != nil {
			return c, false, fmt.Errorf("the denominator: %w", err)
		}
	}
	u := mustUnit(defaultUnit)
	if w := l.peekWord(); w != "" && w != "|" {
		if u, err = b.unit(l, d); err != nil {
			return c, false, err
		}
	}
	if !c.Den.IsZero() {
		if err := u.sampled(); err != nil {
			return c, false, err
		}
	}
	c.Unit, c.PerKey = u.name, u.perKey
	switch w := l.word(); w {
	case "", "|":
		return c, w == "|", nil
	default:
		return c, false, fmt.Errorf("unexpected %q", w)
	}
}
