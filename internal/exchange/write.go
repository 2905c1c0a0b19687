package exchange

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// WriteRows writes rows, in their order, as Action, Bencher or CSV.
//
// Action and Bencher have one name for a benchmark: it is "study/case", and "study/case
// (data)" where there are rows of several sets of data. They cannot express that a value
// is unknown, so a row without a finite value is left out there, and both refuse an
// empty file: that is an error here. In CSV an unknown value is an empty field.
//
// Two rows that would get the same name and unit are an error.
func WriteRows(w io.Writer, f Format, rows []Row) error {
	var err error
	switch f {
	case Action:
		err = writeAction(w, rows)
	case Bencher:
		err = writeBencher(w, rows)
	case CSV:
		err = writeCSV(w, rows)
	default:
		err = fmt.Errorf("it is a format for samples (rows are written as %s, %s or %s)", Action, Bencher, CSV)
	}
	if err != nil {
		return fmt.Errorf("writing rows as %q: %w", f, err)
	}
	return nil
}

func writeCSV(w io.Writer, rows []Row) error {
	cw := csv.NewWriter(w)
	cw.Write(csvHeader)
	cell := func(v float64) string {
		if !finite(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, r := range rows {
		n := ""
		if r.N > 0 {
			n = strconv.Itoa(r.N)
		}
		cw.Write([]string{guarded(r.Data), guarded(r.Study), guarded(r.Case), guarded(r.Unit), cell(r.Value), cell(r.Lo), cell(r.Hi), n})
	}
	cw.Flush()
	return cw.Error()
}

// A Row is one answer: a case of a study, in a set of data, in one unit.
type Row struct {
	Data, Study, Case, Unit string
	Value, Lo, Hi           float64 // base units; NaN where not known
	N                       int     // rounds it is computed from
}

// rowNames returns the names of rows, by index.
func rowNames(rows []Row) []string {
	several := false
	for _, r := range rows {
		several = several || r.Data != rows[0].Data
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Case
		if r.Study != "" {
			names[i] = r.Study + "/" + r.Case
		}
		if several {
			names[i] += " (" + r.Data + ")"
		}
	}
	return names
}

// scaled returns a row's figures in another unit. Twelve digits hide the scaling
// (82.3499 ns, not 82.34990000000001) and are more than any clock resolves.
func (r Row) scaled(factor float64) (value, lo, hi float64) {
	scale := func(v float64) float64 {
		if factor == 1 {
			return v
		}
		return digits(v*factor, 12)
	}
	return scale(r.Value), scale(r.Lo), scale(r.Hi)
}

// actionRow is BenchmarkResult as it is written; see actionBench.
type actionRow struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// writeAction writes the array of customSmallerIsBetter: times in ns/op, the
// rest in base units. Rates, of which more is better, are written only if there
// is nothing else, and the file is then one of customBiggerIsBetter; the Action
// has one direction a file.
//
// The Action compares entries by name, so all but a case's time carry their
// unit in it, as the Action's own Go tool does: "smaug/Heap - B/op". The range
// is half the width of the interval, in the same unit, which is the form that
// the Action draws (src/extractRangeInfo.ts).
func writeAction(w io.Writer, rows []Row) error {
	names := rowNames(rows)
	smaller := slices.ContainsFunc(rows, func(r Row) bool { return finite(r.Value) && !isRate(r.Unit) })
	seen := map[string]bool{}
	var out []actionRow
	for i, r := range rows {
		if !finite(r.Value) || smaller && isRate(r.Unit) {
			continue
		}
		a := r.action(names[i])
		if seen[a.Name] {
			return fmt.Errorf("%q would be there twice", a.Name)
		}
		seen[a.Name] = true
		out = append(out, a)
	}
	return writeJSON(w, out, len(out))
}

// writeJSON writes what there are n of, and refuses to write nothing.
func writeJSON(w io.Writer, v any, n int) error {
	if n == 0 {
		return errors.New("there is no row with a value that this format can hold")
	}
	text, err := encode(v, "")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text+"\n")
	return err
}

func isRate(unit string) bool {
	return strings.HasSuffix(unit, "/sec") || strings.HasSuffix(unit, "/s")
}

func (r Row) action(name string) actionRow {
	unit, factor := r.Unit, 1.0
	switch r.Unit {
	case "sec/op":
		unit, factor = "ns/op", 1e9
	case "cpu-sec/op":
		unit, factor = "cpu-ns/op", 1e9
	}
	value, lo, hi := r.scaled(factor)
	a := actionRow{Name: name, Unit: unit, Value: value}
	if r.Unit != "sec/op" {
		a.Name += " - " + unit
	}
	var extra []string
	if r.Data != "" {
		extra = append(extra, "data: "+r.Data)
	}
	if finite(lo) && finite(hi) {
		a.Range = fmt.Sprintf("± %.6g", (hi-lo)/2)
		extra = append(extra, fmt.Sprintf("interval: %v to %v %s", lo, hi, unit))
	}
	if r.N > 0 {
		extra = append(extra, fmt.Sprintf("rounds: %d", r.N))
	}
	a.Extra = strings.Join(extra, "\n")
	return a
}

// A metric is a measure of Bencher's. An unknown bound is left out, which its schema allows.
type metric struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

// writeBencher writes the benchmarks, each with its measures; see measures.
func writeBencher(w io.Writer, rows []Row) error {
	out := map[string]map[string]metric{}
	for i, name := range rowNames(rows) {
		r := rows[i]
		if !finite(r.Value) {
			continue
		}
		to := measureOf(r.Unit)
		if _, twice := out[name][to.slug]; twice {
			return fmt.Errorf("measure %s of %q would be there twice", to.slug, name)
		}
		value, lo, hi := r.scaled(to.mult)
		m := metric{Value: value}
		if finite(lo) {
			m.Lower = &lo
		}
		if finite(hi) {
			m.Upper = &hi
		}
		if out[name] == nil {
			out[name] = map[string]metric{}
		}
		out[name][to.slug] = m
	}
	return writeJSON(w, out, len(out))
}

// WriteSamples streams samples to w as Go or Google. The first error of samples
// ends the writing, with the file cut short, and is returned as it is.
//
// Google Benchmark has one context for a file, taken from the first sample. A
// sample whose file configuration is another is another benchmark there, with
// the difference behind its name ("BM_Foo/toolchain:go1.18"; "none" for a key
// that it lacks); pass one set of data at a time to keep names plain. As in the
// Go format, configuration that is not the file's is not written.
func WriteSamples(w io.Writer, f Format, samples iter.Seq2[*benchfmt.Result, error]) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	var write func(*benchfmt.Result) error
	end := func() error { return nil }
	switch f {
	case Go:
		out := benchfmt.NewWriter(bw)
		write = func(r *benchfmt.Result) error { return out.Write(r) }
	case Google:
		out := &googleWriter{w: bw, families: map[string]googleFamily{}}
		write, end = out.write, out.end
	default:
		return fmt.Errorf("writing samples: %q is a format for answers (samples are written as %s or %s)", f, Go,
			Google)
	}
	for res, err := range samples {
		if err != nil {
			bw.Flush()
			return err
		}
		if err := write(res); err != nil {
			return fmt.Errorf("writing samples as %q: %s: %w", f, res.Name, err)
		}
	}
	if err := cmp.Or(end(), bw.Flush()); err != nil {
		return fmt.Errorf("writing samples as %q: %w", f, err)
	}
	return nil
}
