package exchange

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// A unit converts a figure of a foreign file into one of memcost's units.
type unit struct {
	base   string  // the unit in base form: sec/op
	factor float64 // base = read × factor
	orig   string  // for a time of known length: the same in nanoseconds, ns/op
	nano   float64 // orig = read × nano
	time   bool    // cannot be negative
}

// value converts v. A time keeps its nanoseconds beside it, as if it had been
// read from ns/op. That is decided by the unit; benchfmt.Reader decides it by
// whether the number changes, and so leaves a 0 in ns/op.
func (u unit) value(v float64) benchfmt.Value {
	if u.orig == "" {
		return benchfmt.Value{Value: v * u.factor, Unit: u.base}
	}
	if u.factor == 1 {
		return benchfmt.Value{Value: v, Unit: u.base, OrigValue: digits(v*u.nano, 15), OrigUnit: u.orig}
	}
	ns := v * u.nano
	val, _ := benchunit.Tidy(ns, u.orig)
	return benchfmt.Value{Value: val, Unit: u.base, OrigValue: ns, OrigUnit: u.orig}
}

// timeUnit returns the unit for times of nano nanoseconds: with prefix "" it is sec/op,
// with "cpu-" cpu-sec/op.
func timeUnit(prefix string, nano float64) unit {
	return unit{prefix + "sec/op", nano / 1e9, prefix + "ns/op", nano, true}
}

var nanoseconds = map[string]float64{
	"ns": 1, "nsec": 1, "nanosecond": 1, "nanoseconds": 1,
	"us": 1e3, "usec": 1e3, "\u00b5s": 1e3, "\u03bcs": 1e3, "microsecond": 1e3, "microseconds": 1e3,
	"ms": 1e6, "msec": 1e6, "millisecond": 1e6, "milliseconds": 1e6,
	"s": 1e9, "sec": 1e9, "secs": 1e9, "second": 1e9, "seconds": 1e9,
}

// byteUnits lists the units of bytes, in which case matters: Mb is not MB. MB is 10^6,
// as in package testing.
var byteUnits = map[string]float64{
	"B": 1, "byte": 1, "bytes": 1, "Byte": 1, "Bytes": 1,
	"kB": 1e3, "KB": 1e3, "kilobytes": 1e3, "Kilobytes": 1e3,
	"MB": 1e6, "megabytes": 1e6, "Megabytes": 1e6,
	"GB": 1e9, "gigabytes": 1e9, "Gigabytes": 1e9,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

// counted maps the singular of what is counted per operation or second to its plural.
var counted = map[string]string{
	"op": "ops", "ops": "ops", "operation": "ops", "operations": "ops", "iter": "ops", "iters": "ops",
	"iterations": "ops",
	"item":       "items", "items": "items",
}

var perOperation = map[string]bool{"op": true, "iter": true, "iteration": true, "operation": true}

// parseUnit parses a unit as people write them: "ns/op", "us/iter", "ms", "MB/s",
// "ops/sec". A time without "per" is taken as one per operation. known is false for an
// unknown unit, which then keeps its own name.
func parseUnit(s string) (u unit, known bool) {
	s = strings.TrimSpace(s)
	what, per, divided := strings.Cut(s, "/")
	what, per = strings.TrimSpace(what), strings.ToLower(strings.TrimSpace(per))
	lower := strings.ToLower(what)
	perOp, perTime := perOperation[per], nanoseconds[per]
	if nano, ok := nanoseconds[lower]; ok && (!divided || perOp) {
		return timeUnit("", nano), true
	}
	if nano, ok := nanoseconds[strings.TrimPrefix(lower, "cpu-")]; ok && perOp {
		return timeUnit("cpu-", nano), true
	}
	if size, ok := byteUnits[what]; ok {
		switch {
		case perOp:
			return unit{base: "B/op", factor: size}, true
		case divided && perTime > 0:
			return unit{base: "B/sec", factor: size * (1e9 / perTime)}, true
		case !divided:
			return unit{base: "B", factor: size}, true
		}
	}
	if many, ok := counted[lower]; ok && perTime > 0 {
		return unit{base: many + "/sec", factor: 1e9 / perTime}, true
	}
	return namedUnit(s), divided && (perOp || perTime > 0)
}

// namedUnit returns a unit under its own name, tidied as benchfmt.Reader does (gc-ns
// becomes gc-sec).
func namedUnit(s string) unit {
	name := oneWord(s)
	if name == "" {
		name = "value"
	}
	factor, base := benchunit.Tidy(1, name)
	u := unit{base: base, factor: factor}
	if base != name && strings.Contains(name, "ns") {
		u.orig, u.nano, u.time = name, 1, true
	}
	return u
}

// digits returns v rounded to n significant digits, so that scaling does not show: 15
// ns, not 14.999999999999998. A float64 holds 15 digits of any decimal.
func digits(v float64, n int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
