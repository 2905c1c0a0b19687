package language

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// A Bound is a number in base units, or the value of a key of the case's name.
type Bound struct {
	Number float64
	Key    string // when not "", Number has no meaning
}

// String prints the bound so that it is read back as the same bound.
func (b Bound) String() string {
	if b.Key != "" {
		return b.Key
	}
	return formatNumber(b.Number)
}

func (b Bound) value(keys func(string) (string, bool)) (float64, error) {
	if b.Key == "" {
		return b.Number, nil
	}
	s, ok := keys(b.Key)
	if !ok {
		return 0, fmt.Errorf("bound %s: the case's name has no key %s", b.Key, b.Key)
	}
	v, _, err := parseNumber(s)
	if err != nil {
		return 0, fmt.Errorf("bound %s: its value in the case's name: %w", b.Key, err)
	}
	return v, nil
}

// A Cond is a set of allowed values. Op is ">", ">=", "<", "<=" or "==", with the
// bound in Lo, or "in", with both. The zero Cond has no Op and allows nothing.
type Cond struct {
	Op     string
	Lo, Hi Bound
}

// String prints the condition so that it is read back as the same condition.
func (c Cond) String() string {
	if c.Op == "in" {
		return fmt.Sprintf("in %s..%s", c.Lo, c.Hi)
	}
	return c.Op + " " + c.Lo.String()
}

// Range returns the allowed values as an interval; loOpen and hiOpen report that an end
// is not itself allowed. keys looks up a key of the case's name: see Keys.
func (c Cond) Range(keys func(string) (string, bool)) (lo, hi float64, loOpen, hiOpen bool, err error) {
	lo, hi = math.Inf(-1), math.Inf(1)
	v, err := c.Lo.value(keys)
	if err != nil {
		return 0, 0, false, false, err
	}
	switch c.Op {
	case ">":
		return v, hi, true, true, nil
	case ">=":
		return v, hi, false, true, nil
	case "<":
		return lo, v, true, true, nil
	case "<=":
		return lo, v, true, false, nil
	case "==":
		return v, v, false, false, nil
	case "in":
		w, err := c.Hi.value(keys)
		if err != nil {
			return 0, 0, false, false, err
		}
		return v, w, false, false, nil
	}
	return 0, 0, false, false, fmt.Errorf("no operator %q", c.Op)
}

// cond reads "OP BOUND" or "in NUMBER..NUMBER" whose numbers are in u.
func (l *lexer) cond(u unit) (Cond, error) {
	remainder := l.remainder()
	op := remainder[:len(remainder)-len(strings.TrimLeft(remainder, "<>=!"))]
	if op == "" {
		op = l.peekWord()
	}
	if op == "" {
		return Cond{}, errors.New("the condition is missing")
	}
	l.skipSpace()
	l.pos += len(op)
	switch op {
	case ">", ">=", "<", "<=", "==":
		lo, err := u.bound(l.word())
		return Cond{Op: op, Lo: lo}, err
	case "in":
		return l.interval(u)
	case "=":
		return Cond{}, errors.New(`"=" is not an operator: equality is ==`)
	}
	return Cond{}, fmt.Errorf("%q is not an operator (>, >=, <, <=, == or in)", op)
}

func (l *lexer) interval(u unit) (Cond, error) {
	w := l.word()
	a, b, ok := strings.Cut(w, "..")
	if !ok {
		return Cond{}, fmt.Errorf("%q is not an interval: it is written in NUMBER..NUMBER, without spaces", w)
	}
	lo, err := u.number(a)
	if err != nil {
		return Cond{}, err
	}
	hi, err := u.number(b)
	if err != nil {
		return Cond{}, err
	}
	if lo > hi {
		return Cond{}, fmt.Errorf("the interval %s is empty: its lower end is above its upper end", w)
	}
	return Cond{Op: "in", Lo: Bound{Number: lo}, Hi: Bound{Number: hi}}, nil
}

// bound reads a number, or a key whose value will be the bound.
func (u unit) bound(s string) (Bound, error) {
	if s == "" || s == "#" {
		return Bound{}, errors.New("the bound is missing")
	}
	if looksNumeric(s) {
		v, err := u.number(s)
		return Bound{Number: v}, err
	}
	key, err := newKey(s)
	if err == nil && u.factor != 1 && !u.ratio {
		err = fmt.Errorf("the bound %s is a key, and its values are not in %s: write the unit %s", s, u.written, u.name)
	}
	return Bound{Key: key}, err
}
