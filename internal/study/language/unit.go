package language

import (
	"errors"
	"fmt"
	"strings"

	"memcost/internal/base/hint"

	"golang.org/x/perf/benchunit"
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
	for _, k := range knownUnits {
		if u.written == k {
			return ""
		}
	}
	if u.perKey != "" {
		return ""
	}
	if k := hint.Nearest(u.written, knownUnits); k != "" {
		return fmt.Sprintf("no benchmark reports the unit %q by itself: did you mean %s?", u.written, k)
	}
	return ""
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
