package exchange

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// Read streams the results of r, a file in format f, to fn. name is the file's name for
// messages. The Result is fn's to keep: no later one shares its memory.
//
// The file's information on the machine, the program or the commit becomes file
// configuration of every result. Values are in base units (sec/op, B/op, B/sec,
// allocs/op, ...); a time also holds its nanoseconds as OrigValue, so that
// benchfmt.Writer prints ns/op.
//
// A damaged record is skipped and named in the warnings, and so is a value that is null,
// not finite, or a negative time. err is set when the file is not in the format, holds
// no result at all, could not be read, or fn returned an error, which is returned as it
// is.
func Read(r io.Reader, name string, f Format, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	rd := &reading{name: name, fn: fn}
	br := bufio.NewReaderSize(r, 64<<10)
	if bom, _ := br.Peek(len(byteOrderMark)); string(bom) == byteOrderMark {
		br.Discard(len(bom))
	}
	if _, err := br.Peek(1); err == io.EOF {
		return nil, fmt.Errorf("reading %s: the file is empty", name)
	}
	switch f {
	case Google:
		err = readGoogle(rd, br)
	case Action:
		err = readAction(rd, br)
	case Bencher:
		err = readBencher(rd, br)
	case CSV:
		err = readCSV(rd, br)
	default:
		return nil, fmt.Errorf("reading %s: format %q is not one that is read here (%v are)", name, f, formats[1:])
	}
	return rd.finish(err)
}

const byteOrderMark = "\ufeff"

// Sniff determines the format of a file from its beginning, of which 4 KiB are plenty. A
// file that looks like none of the others is taken to be in the Go format, which allows
// other lines between its own.
func Sniff(prefix []byte) Format {
	prefix = bytes.TrimPrefix(prefix, []byte(byteOrderMark))
	trimmed := bytes.TrimSpace(prefix)
	switch {
	case len(trimmed) == 0:
		return Go
	case bytes.HasPrefix(trimmed, []byte(historyPrefix)):
		return Action
	case trimmed[0] == '[':
		if next := bytes.TrimSpace(trimmed[1:]); len(next) > 0 && (next[0] == '{' || next[0] == ']') {
			return Action
		}
	case trimmed[0] == '{':
		return sniffObject(trimmed)
	case sniffCSV(trimmed):
		return CSV
	}
	return Go
}

// sniffObject distinguishes the two formats that are JSON objects by the keys of the
// object. An object whose values are not objects is neither: the lines of go test -json,
// for one, have a "Time".
func sniffObject(prefix []byte) Format {
	prefix, _ = io.ReadAll(newJSONFilter(bytes.NewReader(prefix)))
	dec := json.NewDecoder(bytes.NewReader(prefix))
	dec.Token()
	guess := Go
	for dec.More() {
		tok, err := dec.Token()
		key, ok := tok.(string)
		if err != nil || !ok {
			return guess
		}
		next := bytes.TrimLeft(prefix[dec.InputOffset():], " \t\r\n:")
		switch {
		case key == "benchmarks" && bytes.HasPrefix(next, []byte("[")), key == "context" &&
			bytes.HasPrefix(next, []byte("{")):
			return Google
		case bytes.HasPrefix(next, []byte("{")):
			guess = Bencher
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return guess
		}
	}
	return guess
}

// sniffCSV reports whether the first line is a header that readCSV takes.
func sniffCSV(prefix []byte) bool {
	line, _, _ := bytes.Cut(prefix, []byte("\n"))
	header, err := csv.NewReader(strings.NewReader(string(line))).Read()
	if err != nil {
		return false
	}
	_, ok := tableOf(header)
	return ok
}

// maxWarnings bounds the number of warnings about a damaged file.
const maxWarnings = 20

// errCut is a file that ends before its last record does: its writer was killed.
var errCut = errors.New("the file ends before it is complete")

// A reading is one file on its way to the caller.
type reading struct {
	name     string
	fn       func(*benchfmt.Result) error
	stopped  error // what fn returned
	results  int
	warnings []error
	dropped  int
}

// warn notes a fault that does not stop the reading. where is a line or entry.
func (rd *reading) warn(where, format string, args ...any) {
	if len(rd.warnings) >= maxWarnings {
		rd.dropped++
		return
	}
	rd.warnings = append(rd.warnings, fmt.Errorf("%s %s: %s", rd.name, where, fmt.Sprintf(format, args...)))
}

// emit hands a finished result to the caller.
func (rd *reading) emit(res *benchfmt.Result) error {
	rd.results++
	rd.stopped = rd.fn(res)
	return rd.stopped
}

func (rd *reading) finish(err error) ([]error, error) {
	if rd.dropped > 0 {
		rd.warnings = append(rd.warnings, fmt.Errorf("%s: there are %d more such warnings", rd.name, rd.dropped))
	}
	switch {
	case rd.stopped != nil:
		return rd.warnings, rd.stopped
	case errors.Is(err, errCut) && rd.results > 0:
		return append(rd.warnings, fmt.Errorf("%s: %w: what comes before that is used", rd.name, err)), nil
	case err != nil:
		return rd.warnings, fmt.Errorf("reading %s: %w", rd.name, err)
	case rd.results == 0:
		return rd.warnings, fmt.Errorf("reading %s: %w", rd.name, ErrNoResults)
	}
	return rd.warnings, nil
}

// ErrNoResults is returned for a file in the right format without a measurement.
var ErrNoResults = errors.New("it holds no benchmark result that can be used")

// A record is a result under construction.
type record struct {
	rd    *reading
	where string // for warnings: "line 12", "entry 3 (BM_Foo)"
	res   *benchfmt.Result
}

// newRecord starts a result with a copy of the configuration config.
func (rd *reading) newRecord(where, name string, config []benchfmt.Config) *record {
	res := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for _, c := range config {
		c.Value = slices.Clone(c.Value)
		res.Config = append(res.Config, c)
	}
	return &record{rd, where, res}
}

// add gives the record the measurement v of unit u, as read. A second value of
// a unit is left out: which of the two was meant is not known.
func (rec *record) add(v float64, u unit) {
	val := u.value(v)
	switch have, twice := rec.res.Value(val.Unit); {
	case !finite(val.Value) || !finite(val.OrigValue):
		rec.rd.warn(rec.where, "%s is %v, and is left out", val.Unit, v)
	case val.Value < 0 && u.time:
		rec.rd.warn(rec.where, "%s is negative (%v), and is left out", val.Unit, v)
	case twice && have == val.Value:
	case twice:
		rec.rd.warn(rec.where, "%s is given twice (%v and %v): the first is used", val.Unit, have, val.Value)
	default:
		rec.res.Values = append(rec.res.Values, val)
	}
}

// emit passes the record on, unless it has no value.
func (rec *record) emit() error {
	if len(rec.res.Values) == 0 {
		rec.rd.warn(rec.where, "it has no measurement that can be used, and is passed over")
		return nil
	}
	return rec.rd.emit(rec.res)
}

// A merger joins consecutive entries that are the same benchmark in several units into
// one result: the Action and memcost's CSV have one value an entry.
type merger struct {
	rd   *reading
	rec  *record
	tool string
}

// value adds one measurement, to the result at hand if that is of the same
// benchmark.
func (m *merger) value(where, name string, conf []benchfmt.Config, tool string, v float64, u unit, iters int) error {
	if !m.same(name, conf, u.value(v), tool) {
		if err := m.flush(); err != nil {
			return err
		}
		m.rec, m.tool = m.rd.newRecord(where, name, conf), tool
		m.rec.res.Iters = iters
	}
	m.rec.where = where
	m.rec.add(v, u)
	return nil
}

// same reports whether val belongs to the result at hand. One that it has
// already is another measurement, but the Go tool writes the first one twice.
func (m *merger) same(name string, conf []benchfmt.Config, val benchfmt.Value, tool string) bool {
	if m.rec == nil || string(m.rec.res.Name) != name || m.tool != tool || !sameConfig(m.rec.res.Config, conf) {
		return false
	}
	have, twice := m.rec.res.Value(val.Unit)
	return !twice || tool == "go" && have == val.Value
}

func (m *merger) flush() error {
	rec := m.rec
	m.rec = nil
	if rec == nil {
		return nil
	}
	return rec.emit()
}

// sameConfig reports whether a result of configuration a can hold one of b.
func sameConfig(a, b []benchfmt.Config) bool {
	return slices.EqualFunc(a, b, func(a, b benchfmt.Config) bool {
		return a.Key == b.Key && bytes.Equal(a.Value, b.Value)
	})
}

// oneWord makes s a single field of a benchmark line: what is not printable
// (white space, control characters) becomes "_".
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(strings.TrimSpace(s), "_"))
}

// benchmarkName returns the name of a result without "Benchmark", as benchfmt has it.
func benchmarkName(s string) string {
	s = oneWord(s)
	for _, prefix := range []string{"BM_", "Benchmark"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" {
			return rest
		}
	}
	return s
}

// GoogleName returns the name of a Google benchmark, whose arguments are named
// "key:value" and here "key=value".
func GoogleName(s string) string {
	return renameArguments(benchmarkName(s), ":", "=")
}

// toGoogleName undoes GoogleName.
func toGoogleName(s string) string {
	return "BM_" + renameArguments(oneWord(s), "=", ":")
}

// renameArguments replaces the sign between key and value in every part after
// the first. A part whose key is no plain word (std::less<>) is no argument.
func renameArguments(s, from, to string) string {
	parts := strings.Split(s, "/")
	for i, part := range parts[1:] {
		key, value, ok := strings.Cut(part, from)
		if ok && key != "" && !strings.HasPrefix(value, ":") && !strings.ContainsFunc(key, notInKey) {
			parts[i+1] = key + to + value
		}
	}
	return strings.Join(parts, "/")
}

func notInKey(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
}

// config returns the file configuration key: value, or none when one of them is empty
// after cleaning. A key of the Go benchmark format begins with a lower case letter and
// contains neither space nor upper case; a value is one line.
func config(key, value string) []benchfmt.Config {
	key = strings.Map(func(r rune) rune {
		if r == ':' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '-'
		}
		return unicode.ToLower(r)
	}, strings.TrimSpace(key))
	key = strings.TrimLeftFunc(key, func(r rune) bool { return !unicode.IsLower(r) })
	value = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(value, "_"))
	value = strings.TrimSpace(value)
	if key == "" || value == "" || strings.ContainsFunc(key, unicode.IsUpper) {
		return nil
	}
	return []benchfmt.Config{{Key: key, Value: []byte(value), File: true}}
}

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
