package exchange

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

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
	var lines []string
	for i, r := range rows {
		if !finite(r.Value) || smaller && isRate(r.Unit) {
			continue
		}
		a := r.action(names[i])
		if seen[a.Name] {
			return fmt.Errorf("%q would be there twice", a.Name)
		}
		seen[a.Name] = true
		line, err := encode(a)
		if err != nil {
			return err
		}
		lines = append(lines, "  "+line)
	}
	if len(lines) == 0 {
		return errNothing
	}
	_, err := io.WriteString(w, "[\n"+strings.Join(lines, ",\n")+"\n]\n")
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

// writeBencher writes the benchmarks in the order of their first rows, each with its
// measures in the order of its rows; see measures.
func writeBencher(w io.Writer, rows []Row) error {
	type benchmark struct {
		name     string
		measures []string
	}
	var list []*benchmark
	byName, seen := map[string]*benchmark{}, map[[2]string]bool{}
	for i, name := range rowNames(rows) {
		r := rows[i]
		if !finite(r.Value) {
			continue
		}
		m := measureOf(r.Unit)
		if seen[[2]string{name, m.slug}] {
			return fmt.Errorf("measure %s of %q would be there twice", m.slug, name)
		}
		seen[[2]string{name, m.slug}] = true
		line, err := r.metric(m)
		if err != nil {
			return err
		}
		b := byName[name]
		if b == nil {
			b = &benchmark{name: name}
			byName[name], list = b, append(list, b)
		}
		b.measures = append(b.measures, line)
	}
	if len(list) == 0 {
		return errNothing
	}
	bw := bufio.NewWriter(w)
	for i, b := range list {
		name, err := encode(b.name)
		if err != nil {
			return err
		}
		fmt.Fprintf(bw, "%s  %s: {\n%s\n  }", separator(i, "{\n", ",\n"), name, strings.Join(b.measures, ",\n"))
	}
	bw.WriteString("\n}\n")
	return bw.Flush()
}

// metric returns one measure as JSON: "latency": {...}. An unknown bound is left out,
// which Bencher's schema allows.
func (r Row) metric(m measure) (string, error) {
	value, lo, hi := r.scaled(m.mult)
	metric := struct {
		Value float64  `json:"value"`
		Lower *float64 `json:"lower_value,omitempty"`
		Upper *float64 `json:"upper_value,omitempty"`
	}{Value: value}
	if finite(lo) {
		metric.Lower = &lo
	}
	if finite(hi) {
		metric.Upper = &hi
	}
	text, err := encode(metric)
	return fmt.Sprintf("    %q: %s", m.slug, text), err
}
