package result

import (
	"fmt"
	"slices"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/series"
)

// A CPU holds what the CPU time says of a ratio of times. Time that the collector spends on
// another core is in it, and not in the time that a benchmark takes.
type CPU struct {
	Ratio Figure `json:"ratio"`
	Num   Figure `json:"numerator"` // per op
	Den   Figure `json:"denominator"`
	// Elsewhere reports that the side that allocates uses much more CPU time than its time shows.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// leastAllocs is how many allocs/op are the benchmark's own: the runtime makes a few objects
// while it runs.
const leastAllocs = 0.1

// much is how far apart the ratios of CPU time and of time are where that needs a sentence.
const much = 1.25

// cpuOf returns what the CPU time says of the ratio of two cases, nil where that is no question:
// of two cases that both allocate, or neither does, and where the benchmark was not asked.
func cpuOf(d *claim.Data, num, den *series.Series, time Figure) *CPU {
	if num == nil || den == nil || allocates(d, num) == allocates(d, den) {
		return nil
	}
	x := &CPU{Ratio: figure(d.Ratio(num, den, series.UnitCPU), ""), Num: figure(d.Estimate(num, series.UnitCPU), "sec/op"),
		Den: figure(d.Estimate(den, series.UnitCPU), "sec/op")}
	if !x.Ratio.Known() {
		return nil
	}
	cpu, wall := x.Ratio, time
	if allocates(d, den) { // seen from the side that allocates
		cpu, wall = wall, cpu
	}
	x.Elsewhere = cpu.Value > much*wall.Value && cpu.Lo > wall.Hi
	return x
}

func allocates(d *claim.Data, s *series.Series) bool {
	vs := d.Set.Valid(s, "allocs/op")
	return len(vs) > 0 && slices.Max(vs) >= leastAllocs
}

// beside returns the ratio of CPU times as it stands beside that of times.
func (x *CPU) beside() string {
	if x == nil {
		return ""
	}
	return "CPU " + x.Ratio.String()
}

// sentence continues a sentence on a ratio of times: ", and 9.7 [9.1, 10.2] times in CPU time (3.4 µs
// against 350 ns): the collector works on another core".
func (x *CPU) sentence(where string) string {
	say := fmt.Sprintf(", and %s times in CPU time%s (%s against %s)", Place{Figure: x.Ratio}.times(), where,
		x.Num.quantity(), x.Den.quantity())
	if x.Elsewhere {
		say += ": the collector works on another core"
	}
	return say
}

// withCPU puts a column of ratios of CPU times beside each column of ratios of times in which
// code that allocates is compared with code that does not.
func withCPU(t Table, of catalog.Table, judged []*claim.Judged) Table {
	for i := len(of.Columns) - 1; i >= 0; i-- {
		at := map[string]Figure{}
		for _, j := range judged {
			if t.Arm == "" || t.Arm == j.Name {
				ratiosOfCPU(at, of.Columns[i], of.By, j.Data)
			}
		}
		if len(at) > 0 {
			t.Columns = slices.Insert(slices.Clone(t.Columns), i+1, headerOfCPU(of.Columns[i]))
			t.Rows = withCells(t.Rows, i+1, at)
		}
	}
	return t
}

// addCPU does for a picture of ratios what withCPU does for a table.
func (p *Picture) addCPU(of catalog.Table, judged []*claim.Judged) {
	if len(p.Sides) < len(p.Columns) {
		return // not all of them are ratios
	}
	for i := len(of.Columns) - 1; i >= 0; i-- {
		bySet, any := make([]map[string]Figure, len(p.Sets)), false
		for n, s := range p.Sets {
			bySet[n] = map[string]Figure{}
			for _, j := range judged {
				if j.Name == s.Data && !s.Published {
					ratiosOfCPU(bySet[n], of.Columns[i], of.By, j.Data)
				}
			}
			any = any || len(bySet[n]) > 0
		}
		if !any {
			continue
		}
		p.Columns = slices.Insert(p.Columns, i+1, headerOfCPU(of.Columns[i]))
		p.Sides = slices.Insert(p.Sides, i+1, Sides{p.Sides[i].Num, p.Sides[i].Den, series.UnitCPU})
		for n := range p.Sets {
			p.Sets[n].Rows = withCells(p.Sets[n].Rows, i+1, bySet[n])
		}
	}
}

func headerOfCPU(c catalog.Column) string { return "CPU, " + c.Header }

// withCells returns rows with one more column, of the figures at their labels.
func withCells(rows []Row, column int, at map[string]Figure) []Row {
	rows = slices.Clone(rows)
	for n, r := range rows {
		f, ok := at[r.Label]
		if !ok {
			f = noFigure
		}
		rows[n].Cells = slices.Insert(slices.Clone(r.Cells), column, f)
	}
	return rows
}

// ratiosOfCPU adds the ratios of CPU times of a column, by the labels of its rows.
func ratiosOfCPU(at map[string]Figure, c catalog.Column, by string, d *claim.Data) {
	if c.Den.IsZero() || c.Unit != "sec/op" {
		return
	}
	value := func(of catalog.Selector, unit string) map[string]float64 {
		out := map[string]float64{}
		// The table says where two cases stand in one row.
		_ = d.Column(catalog.Column{Num: of, Unit: unit}, by, func(label string, e claim.Estimate, note string) {
			if note == "" {
				out[label] = e.Centre
			}
		})
		return out
	}
	num, den := value(c.Num, "allocs/op"), value(c.Den, "allocs/op")
	c.Unit = series.UnitCPU
	_ = d.Column(c, by, func(label string, e claim.Estimate, note string) {
		a, known := num[label]
		b, also := den[label]
		if note == "" && known && also && (a >= leastAllocs) != (b >= leastAllocs) {
			at[label] = figure(e, "")
		}
	})
}
