package language

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

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

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
