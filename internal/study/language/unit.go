package language

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"memcost/internal/base/hint"
)

// defaultUnit is the tidied form of the ns/op that every benchmark prints.
const defaultUnit = "sec/op"

// knownUnits lists the units that every benchmark can print; a unit close to one of them
// is probably a misspelling.
var knownUnits = []string{"sec/op", "ns/op", "B/op", "allocs/op", "MB/s", "B/s"}

// A unit is the unit of a directive's numbers.
type unit struct {
	name    string // tidied
	perKey  string // "size" of size/sec
	written string
	factor  float64 // from a number as written to one in name
	ratio   bool    // the numbers are ratios of two figures in name
}

// newUnit reads a unit as a directive has it, pre-scaled ones (ns/op) included.
func newUnit(word string) (unit, error) {
	if word == "" {
		return unit{}, errors.New("the unit is missing")
	}
	if looksNumeric(word) || strings.ContainsAny(word, `<>=!:"()#|,`) {
		return unit{}, fmt.Errorf("%q is not a unit", word)
	}
	if key, ok := strings.CutSuffix(word, "/sec"); ok {
		key, err := newKey(key)
		return unit{name: key + "/sec", perKey: key, written: word, factor: 1}, err
	}
	factor, name := benchunit.Tidy(1, word)
	return unit{name: name, written: word, factor: factor}, nil
}

func mustUnit(word string) unit {
	u, err := newUnit(word)
	if err != nil {
		panic(err) // only for the constants of this package
	}
	return u
}

// warning returns a warning that the unit looks like a misspelling, or "".
func (u unit) warning() string {
	question := hint.Question(u.written, knownUnits)
	if question == "" || u.perKey != "" || slices.Contains(knownUnits, u.written) {
		return ""
	}
	return fmt.Sprintf("no benchmark reports the unit %q by itself%s", u.written, question)
}

// sampled refuses a throughput where only what a sample carries makes sense.
func (u unit) sampled() error {
	if u.perKey == "" {
		return nil
	}
	return fmt.Errorf("%s is derived from sec/op, for claims on a value and columns of one selector: say it with a "+
		"unit that samples carry", u.written)
}

// number reads a number of this unit into base units.
func (u unit) number(s string) (float64, error) {
	v, dim, err := parseNumber(s)
	switch {
	case err != nil:
		return 0, err
	case dim == plain && u.factor != 1 && !u.ratio:
		// As benchunit tidies samples, so that == compares equal roundings.
		v, _ := benchunit.Tidy(v, u.written)
		return v, nil
	case dim == plain:
		return v, nil
	case u.ratio:
		return 0, fmt.Errorf("%q is %s, but a ratio is a plain number", s, dim)
	case dim != u.dimension():
		return 0, fmt.Errorf("%q is %s, but the unit is %s", s, dim, u.written)
	}
	return v, nil
}

// dimension returns the dimension of the unit's numerator; that of a throughput in a key
// is the key's, which is bytes when it is written with a byte suffix.
func (u unit) dimension() dimension {
	numerator, _, _ := strings.Cut(u.name, "/")
	switch {
	case u.perKey != "" || benchunit.ClassOf(u.name) == benchunit.Binary || strings.Contains(numerator, "bytes"):
		return catalogBytes
	case strings.Contains(numerator, "sec"):
		return seconds
	}
	return plain
}

// newKey checks the name of a key and drops the slash that benchproc puts before a
// name's keys.
func newKey(s string) (string, error) {
	key := strings.TrimPrefix(s, "/")
	for i, r := range key {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '-' && r != '.' && (r < '0' || r > '9')) {
			return "", fmt.Errorf("%q is not a key", s)
		}
	}
	if key == "" {
		return "", errors.New("the key is missing")
	}
	return key, nil
}

// dimension is the quantity that a number's suffix stands for.
type dimension int

const (
	plain dimension = iota // no suffix
	seconds
	catalogBytes
)

func (d dimension) String() string { return [...]string{"a plain number", "a time", "bytes"}[d] }

// suffixes convert to base units. A factor below one is kept as its inverse, because
// 20/1e6 is the float nearest to 20 microseconds and 20*1e-6 is not.
var suffixes = []struct {
	text     string
	dim      dimension
	mul, div float64
}{
	{"ns", seconds, 1, 1e9}, {"us", seconds, 1, 1e6}, {"µs", seconds, 1, 1e6}, {"μs", seconds, 1, 1e6},
	{"ms", seconds, 1, 1e3}, {"s", seconds, 1, 1},
	{"KiB", catalogBytes, 1 << 10, 1}, {"MiB", catalogBytes, 1 << 20, 1}, {"GiB", catalogBytes, 1 << 30, 1}, {"TiB", catalogBytes, 1 << 40, 1},
	{"KB", catalogBytes, 1e3, 1}, {"kB", catalogBytes, 1e3, 1}, {"MB", catalogBytes, 1e6, 1}, {"GB", catalogBytes, 1e9, 1}, {"B", catalogBytes, 1, 1},
}

const numberForm = "a number such as 1, 0.5, 1e-6, 20us or 64KiB"

// parseNumber reads 1e-6, 20us or 64KiB into base units: seconds and bytes.
func parseNumber(s string) (float64, dimension, error) {
	for _, u := range suffixes {
		if head, ok := strings.CutSuffix(s, u.text); ok {
			if v, ok := finite(head); ok {
				return v * u.mul / u.div, u.dim, nil
			}
		}
	}
	if v, ok := finite(s); ok {
		return v, plain, nil
	}
	return 0, plain, fmt.Errorf("%q is not %s", s, numberForm)
}

// finite parses a decimal number. It leaves out what strconv also takes (hexadecimal,
// underscores, "inf", "nan"): no benchmark prints a bound so.
func finite(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// looksNumeric reports whether a bound is meant as a number, not as a key.
func looksNumeric(s string) bool {
	return s != "" && strings.IndexByte("0123456789.+-", s[0]) >= 0
}

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
	return strconv.FormatFloat(b.Number, 'g', -1, 64)
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
