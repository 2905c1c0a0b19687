package exchange

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"memcost/internal/document"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// memcost's CSV is RFC 4180 with the header csvHeader, a row for every case and unit, in
// base units; the field of an unknown number is empty. A name that a spreadsheet would take
// for a formula stands behind a ', which reading takes away, and what a terminal would act
// on is written as Go source has it.
//
// Any other table can be read if one column is headed name, case or benchmark, and
// others by units: "ns/op", "B/op", "MB/s". A row is then one result. Columns of the
// configuration (csvConfig) keep their names.
//
// Lost in reading: lo and hi.
var csvHeader = []string{"data", "study", "case", "unit", "value", "lo", "hi", "n"}

// formulas begin with one of these in a spreadsheet.
const formulas = "=+-@"

// guarded returns a name as a field, and unguarded a field as a name.
func guarded(name string) string {
	if name = document.Clean(name); name != "" && strings.Contains(formulas, name[:1]) {
		return "'" + name
	}
	return name
}

func unguarded(field string) string {
	if len(field) > 1 && field[0] == '\'' && strings.Contains(formulas, field[1:2]) {
		return field[1:]
	}
	return field
}

var (
	csvNames  = []string{"case", "name", "benchmark"} // the first that is there
	csvCounts = []string{"iterations", "iters", "n"}
	csvConfig = []string{"data", "study", "goos", "goarch", "pkg", "cpu", "machine", "toolchain", "commit", "date",
		"suite"}
)

// csvTable holds the indices of the columns, from the header; -1 is none.
type csvTable struct {
	name, count int
	unit, value int            // one measurement a row (memcost's own form)
	units       map[int]unit   // several in a row
	configs     map[int]string // configuration keys
	unknown     []string
}

func tableOf(header []string) (t csvTable, ok bool) {
	t = csvTable{-1, -1, -1, -1, map[int]unit{}, map[int]string{}, nil}
	heads := make([]string, len(header))
	for i, h := range header {
		heads[i] = strings.ToLower(strings.TrimSpace(h))
	}
	for _, n := range csvNames {
		if t.name < 0 {
			t.name = slices.Index(heads, n)
		}
	}
	long := slices.Contains(heads, "unit") && slices.Contains(heads, "value")
	for i, h := range heads {
		u, known := parseUnit(header[i])
		switch {
		case i == t.name:
		case long && h == "unit":
			t.unit = i
		case long && h == "value":
			t.value = i
		case slices.Contains(csvCounts, h):
			t.count = i
		case slices.Contains(csvConfig, h):
			t.configs[i] = h
		case known && !long:
			t.units[i] = u
		case !long || !slices.Contains(csvHeader, h):
			t.unknown = append(t.unknown, strings.TrimSpace(header[i]))
		}
	}
	return t, t.name >= 0 && (t.value >= 0 || len(t.units) > 0)
}

func readCSV(rd *reading, r io.Reader) error {
	cr := csv.NewReader(r)
	cr.FieldsPerRecord = -1
	header, err := cr.Read()
	if err == io.EOF {
		return errors.New("it holds nothing but empty lines")
	}
	if err != nil {
		return csvError(err)
	}
	line, _ := cr.FieldPos(0)
	t, ok := tableOf(header)
	if !ok {
		return fmt.Errorf("line %d: the header needs a column named case, name or benchmark and one headed by a "+
			"unit such as ns/op, or the columns unit and value", line)
	}
	if len(t.unknown) > 0 {
		rd.warn(fmt.Sprintf("line %d", line), "columns that are not units are left out: %.200s",
			strings.Join(t.unknown, ", "))
	}
	width := len(header)
	cr.ReuseRecord = true
	m := &merger{rd: rd}
	for {
		row, err := cr.Read()
		switch parse := (*csv.ParseError)(nil); {
		case err == io.EOF:
			return m.flush()
		case errors.As(err, &parse):
			rd.warn(fmt.Sprintf("line %d", parse.StartLine), "%v: the line is passed over", parse.Err)
			continue
		case err != nil:
			return errors.Join(m.flush(), err)
		}
		line, _ := cr.FieldPos(0)
		where := fmt.Sprintf("line %d", line)
		if len(row) != width {
			rd.warn(where, "it has %d columns where the header has %d, and is passed over", len(row), width)
			continue
		}
		if err := t.read(m, where, row); err != nil {
			return err
		}
	}
}

func (t csvTable) read(m *merger, where string, row []string) error {
	name := benchmarkName(unguarded(row[t.name]))
	if name == "" {
		m.rd.warn(where, "it has no name, and is passed over")
		return nil
	}
	var conf []benchfmt.Config
	for i, cell := range row {
		if key, ok := t.configs[i]; ok {
			conf = append(conf, config(key, unguarded(cell))...)
		}
	}
	iters := 1
	if t.count >= 0 {
		if n, err := parseNumber(row[t.count]); err == nil && n >= 1 && n < maxIterations {
			iters = int(n)
		}
	}
	if t.value >= 0 {
		v, err := parseNumber(row[t.value])
		if err != nil {
			m.rd.warn(where, "its value %v, and it is passed over", err)
			return nil
		}
		u, _ := parseUnit(unguarded(row[t.unit]))
		return m.value(where, name, conf, "", v, u, iters)
	}
	rec := m.rd.newRecord(where, name, conf)
	rec.res.Iters = iters
	for i, cell := range row {
		u, ok := t.units[i]
		if !ok || strings.TrimSpace(cell) == "" {
			continue
		}
		v, err := parseNumber(cell)
		if err != nil {
			m.rd.warn(where, "%s %v, and is left out", u.base, err)
			continue
		}
		rec.add(v, u)
	}
	return rec.emit()
}

func csvError(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
	}
	return err
}
