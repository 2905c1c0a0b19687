package result

import (
	"slices"

	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// leastAllocs is how many allocs/op are the benchmark's own: the runtime makes a few objects
// while it runs.
const leastAllocs = 0.1

// much is how far apart the ratios of CPU time and of time are where that needs a sentence.
const much = 1.25

// cpuOf returns what the CPU time says of the ratio of two cases, nil where that is no question:
// of two cases that both allocate, or neither does, and where the benchmark was not asked.
func cpuOf(d *claim.Data, num, den *series.Series, time figures.Figure) *CPU {
	if num == nil || den == nil || allocates(d, num) == allocates(d, den) {
		return nil
	}
	x := &CPU{Ratio: figure(d.Ratio(num, den, series.UnitCPU), ""),
		Num: figure(d.Estimate(num, series.UnitCPU), "sec/op"), Den: figure(d.Estimate(den, series.UnitCPU), "sec/op")}
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

// withCPU puts a column of ratios of CPU times beside each column of ratios of times in which
// code that allocates is compared with code that does not.
func withCPU(t figures.Table, of language.Table, judged []*claim.Judged) figures.Table {
	for i := len(of.Columns) - 1; i >= 0; i-- {
		at := map[string]figures.Figure{}
		for _, j := range judged {
			if t.Side == "" || t.Side == j.Name {
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
func addCPU(p *figures.Picture, of language.Table, judged []*claim.Judged) {
	if len(p.Sides) < len(p.Columns) {
		return // not all of them are ratios
	}
	for i := len(of.Columns) - 1; i >= 0; i-- {
		bySet, any := make([]map[string]figures.Figure, len(p.Sets)), false
		for n, s := range p.Sets {
			bySet[n] = map[string]figures.Figure{}
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
		sides := p.Sides[i]
		sides.Unit = series.UnitCPU
		p.Sides = slices.Insert(p.Sides, i+1, sides)
		for n := range p.Sets {
			p.Sets[n].Rows = withCells(p.Sets[n].Rows, i+1, bySet[n])
		}
	}
}

func headerOfCPU(c language.Column) string { return "CPU, " + c.Header }

// withCells returns rows with one more column, of the figures at their labels.
func withCells(rows []figures.Row, column int, at map[string]figures.Figure) []figures.Row {
	rows = slices.Clone(rows)
	for n, r := range rows {
		f, ok := at[r.Label]
		if !ok {
			f = figures.NoFigure()
		}
		rows[n].Cells = slices.Insert(slices.Clone(r.Cells), column, f)
	}
	return rows
}

// ratiosOfCPU adds the ratios of CPU times of a column, by the labels of its rows.
func ratiosOfCPU(at map[string]figures.Figure, c language.Column, by string, d *claim.Data) {
	if c.Den.IsZero() || c.Unit != "sec/op" {
		return
	}
	value := func(of language.Selector, unit string) map[string]float64 {
		out := map[string]float64{}
		// The table says where two cases stand in one row.
		_ = d.Column(language.Column{Num: of, Unit: unit}, by, func(label string, e claim.Estimate, note string) {
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
