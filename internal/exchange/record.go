package exchange

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/perf/benchfmt"
)

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
