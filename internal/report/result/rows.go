package result

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/exchange"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// Rows returns the cases of the answers that count, one row for each unit: the time
// with its interval, and the means of whatever else the benchmark reported. What
// memcost itself measured of the processes is not among them, and neither are
// verdicts. Data is the side, after the answer's label where there are several.
func Rows(answers []*Answer) []exchange.Row {
	var out []exchange.Row
	names := Labels(answers)
	for i, a := range answers {
		for _, s := range a.Studies {
			for _, c := range s.Cases {
				if c.Failed != "" || len(c.Invalid) > 0 {
					continue
				}
				data := c.Side
				if len(answers) > 1 && data != names[i] {
					data = names[i] + " · " + data
				}
				row := exchange.Row{Data: data, Study: s.Name, Case: c.Name, Unit: "sec/op",
					Value: float64(c.Time.Value), Lo: float64(c.Time.Lo), Hi: float64(c.Time.Hi), N: c.Time.N}
				out = append(out, c.rows(row)...)
			}
		}
	}
	return out
}

// Others returns the means of what a benchmark reported beside time, bytes and
// allocations: "131072 bytes, 12 p50-sec".
func (c *Case) Others() string {
	var out []string
	for _, unit := range slices.Sorted(maps.Keys(c.Metrics)) {
		v := float64(c.Metrics[unit])
		if unit == "B/op" || unit == "allocs/op" || !finite(v) || !c.foreign && series.Own(unit) {
			continue
		}
		out = append(out, units.Metric(v, unit))
	}
	return strings.Join(out, ", ")
}

// rows returns a case's rows; time is the first of them.
func (c *Case) rows(time exchange.Row) (out []exchange.Row) {
	if finite(time.Value) {
		if time.Lo <= 0 { // nothing bounds it
			time.Lo = math.NaN()
		}
		out = append(out, time)
	}
	for _, unit := range slices.Sorted(maps.Keys(c.Metrics)) {
		v := float64(c.Metrics[unit])
		if !finite(v) || !c.foreign && series.Own(unit) {
			continue
		}
		row := time
		row.Unit, row.Value, row.Lo, row.Hi = unit, v, math.NaN(), math.NaN()
		out = append(out, row)
	}
	return out
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Samples streams the samples of a run folder, or of a file in any known format:
// those that stand for their case, without second copies of a side, guards'
// samples and failed processes. A Result is good until the next one. An error
// ends the stream.
func Samples(path string) iter.Seq2[*benchfmt.Result, error] {
	return func(yield func(*benchfmt.Result, error) bool) {
		err := readSamples(path, func(r *benchfmt.Result) error {
			_, failed := r.Value(series.UnitFailed)
			if failed || len(r.GetConfig(series.KeyRole)) > 0 || yield(r, nil) {
				return nil
			}
			return errEnough
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough ends the reading when nobody wants more.
var errEnough = errors.New("enough samples")

func readSamples(path string, fn func(*benchfmt.Result) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("reading samples: %w", err)
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, store.QuestionFile)); err != nil {
			return fmt.Errorf("reading samples of %s: it holds no %s, so it is not a run folder", path,
				store.QuestionFile)
		}
		_, err := store.ReadSamples(path, fn)
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading samples: %w", err)
	}
	defer f.Close()
	found := false
	damage, err := readAny(f, path, func(r *benchfmt.Result) error { found = true; return fn(r) })
	if errors.Is(err, exchange.ErrNoResults) || err == nil && !found {
		return noResults(path, damage)
	}
	return err
}
