package language

import (
	"errors"
	"fmt"
	"strings"

	"memcost/internal/base/hint"
)

const columnForm = "HEADER = SELECTOR [UNIT] or HEADER = SELECTOR / SELECTOR [UNIT]"

// cutHeader splits a column as written at the "=" behind its header. The header may
// have one itself where there are spaces around the other: "M_TOP_PAD=0 = setting:pad0".
func cutHeader(text string) (header, rest string, ok bool) {
	if header, rest, ok = strings.Cut(text, " = "); ok && !strings.ContainsAny(header, "|:") {
		return header + " ", " " + rest, true
	}
	return strings.Cut(text, "=")
}

// header reads up to the "=" behind a column's header.
func (l *lexer) header() (string, error) {
	header, _, ok := cutHeader(l.s[l.pos:])
	if !ok || strings.Contains(header, "|") {
		written := strings.TrimSpace(strings.Split(header, "|")[0])
		return "", fmt.Errorf(`"=" is missing after the header %q`, written)
	}
	l.pos += len(header) + len("=")
	if header = strings.TrimSpace(header); header == "" {
		return "", errors.New("the header is missing")
	}
	return header, nil
}

// figure reads "SELECTOR [UNIT]" or "SELECTOR / SELECTOR [UNIT]" into c. A figure
// without a unit is in unit.
func (b *builder) figure(l *lexer, d Directive, unit string, c *Column) (err error) {
	if c.Num, err = l.newSelector(d.Scope); err != nil {
		return err
	}
	if l.peekWord() == "/" {
		l.word()
		if c.Den, err = l.newSelector(d.Scope); err != nil {
			return fmt.Errorf("the denominator: %w", err)
		}
	}
	u, err := newUnit(unit)
	if err != nil {
		return err
	}
	if w := l.peekWord(); w != "" && w != "|" {
		if u, err = b.unit(l, d); err != nil {
			return err
		}
	}
	return c.in(u)
}

// in sets the unit of the column.
func (c *Column) in(u unit) error {
	if !c.Den.IsZero() {
		if err := u.sampled(); err != nil {
			return err
		}
	}
	c.Unit, c.PerKey = u.name, u.perKey
	return nil
}

// distinctHeaders refuses two columns that a reader could not tell apart.
func distinctHeaders(columns []Column) error {
	seen := map[string]bool{}
	for _, c := range columns {
		if seen[c.Header] {
			return fmt.Errorf("two columns have the header %q", c.Header)
		}
		seen[c.Header] = true
	}
	return nil
}

// check reports what a picture of its kind cannot show, with the key that says so.
func (p *Picture) check() (key string, err error) {
	if p.Kind == Steps && p.By != ByToolchain {
		return ".by", fmt.Errorf("steps are shown by %s", ByToolchain)
	}
	shows := "figures, not ratios"
	if p.Kind == Forest {
		shows = "ratios, A / B"
	}
	for _, c := range p.Columns {
		if isRatio := !c.Den.IsZero(); isRatio != (p.Kind == Forest) {
			return ".columns", fmt.Errorf("column %s: a %s shows %s", c.Header, p.Kind, shows)
		}
		if first := p.Columns[0]; c.Unit != first.Unit {
			return ".columns", fmt.Errorf("columns %s and %s have different units, %s and %s: one axis cannot show "+
				"both", first.Header, c.Header, first.Unit, c.Unit)
		}
	}
	return "", nil
}

// checkKind refuses a kind of picture that there is not.
func checkKind(kind string) error {
	for _, k := range pictureKinds {
		if k == kind {
			return nil
		}
	}
	msg := fmt.Sprintf("there is no kind of picture %q, only %s", kind, strings.Join(pictureKinds, ", "))
	if near := hint.Nearest(kind, pictureKinds); near != "" {
		msg += fmt.Sprintf(": did you mean %s?", near)
	}
	return errors.New(msg)
}
