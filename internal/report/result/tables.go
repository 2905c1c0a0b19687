package result

import (
	"fmt"
	"math"
	"slices"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// tableOf fills a study's table from one arm: a row for each value of its key, in
// numerical order where the values are numbers.
func tableOf(t language.Table, d *claim.Data) figures.Table {
	out := figures.Table{Title: t.Title, By: t.By, Side: d.Name}
	var rows []figures.Row
	for i, col := range t.Columns {
		out.Columns = append(out.Columns, col.Header)
		err := d.Column(col, t.By, func(label string, e claim.Estimate, note string) {
			unit := col.Unit
			switch {
			case !col.Den.IsZero():
				unit = ""
			case col.PerKey != "":
				unit = "B/sec"
			}
			f := figure(e, unit)
			if note != "" {
				f.Note = note
			}
			rows = figures.Put(rows, label, i, f)
		})
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("column %s: %v", col.Header, err))
		}
	}
	figures.Fill(rows, len(t.Columns))
	slices.SortStableFunc(rows, func(a, b figures.Row) int { return figures.CompareLabels(a.Label, b.Label) })
	for _, r := range rows {
		if !floorAlone(t.Columns, r.Cells) {
			out.Rows = append(out.Rows, r)
		}
	}
	return out
}

// floorAlone reports whether a row has figures only in the column that is the
// floor: there is nothing that it is the floor of.
func floorAlone(columns []language.Column, row []figures.Figure) bool {
	floor, other := false, false
	for i, f := range row {
		switch {
		// with a note it is a case without a figure, as one that is INVALID
		case math.IsNaN(float64(f.Value)) && f.Note == "":
		case columns[i].Floor:
			floor = true
		default:
			other = true
		}
	}
	return floor && !other
}
