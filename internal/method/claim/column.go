package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// Column calls fn with each figure of a table's column: the value of the key by
// (with GOMAXPROCS where the cases of the data differ in it), the estimate and
// its interval in base units, and a note where the figure does not count. Cells
// without a figure are left out. The error says why a column has no figures, or
// not all, although there are cases for it.
func (d *Data) Column(col language.Column, by string, fn func(label string, e Estimate, note string)) error {
	num, bad := d.pick(col.Num)
	name := rowNames(d, by, PairingNamed(col.Num, col.Den))
	for _, c := range bad {
		if row, ok := name(c); ok {
			fn(row, noEstimate(), InvalidNote)
		}
	}
	if !col.Den.IsZero() {
		return ratioColumn(d, col, by, num, func(c *series.Series, e Estimate) {
			row, _ := name(c)
			fn(row, e, "")
		})
	}
	unit := col.Unit
	if col.PerKey != "" {
		unit = "sec/op"
	}
	seen := map[string]string{}
	for _, c := range d.only(num, unit) {
		row, ok := name(c)
		if !ok {
			continue
		}
		if other, twice := seen[row]; twice {
			return fmt.Errorf("%s and %s stand in the same row (%s=%s): the column shows the first", other, c.Case, by,
				row)
		}
		seen[row] = c.Case
		e, err := columnFigure(d, c, unit, col.PerKey)
		if err != nil {
			return err
		}
		fn(row, e, "")
	}
	return nil
}

func columnFigure(d *Data, c *series.Series, unit, perKey string) (Estimate, error) {
	switch {
	case exact(d, unit) || constant(d, c, unit):
		m := stat.Median(d.values(c, unit))
		none := stat.Interval{Lo: math.NaN(), Hi: math.NaN()} // nothing was estimated
		return Estimate{Centre: m, Medians: m, Interval: none, Rounds: len(d.values(c, unit))}, nil
	case perKey != "":
		amount, err := Number(c, perKey)
		return d.Estimate(c, unit).per(amount), err
	}
	return d.Estimate(c, unit), nil
}

func ratioColumn(d *Data, col language.Column, by string, num []*series.Series, fn func(*series.Series,
	Estimate)) error {
	den, _ := d.pick(col.Den)
	every := []string{by}
	if by == language.ByToolchain {
		every = nil
	}
	pairs, _, err := Match(d.only(num, col.Unit), d.only(den, col.Unit), every,
		PairingNamed(col.Num, col.Den)...)
	for _, p := range pairs {
		fn(p.Num, d.Ratio(p.Num, p.Den, col.Unit))
	}
	return err
}

// rowNames returns the table row that a case belongs to: by toolchain there is one.
// It looks at all cases of the data, so that every column names its rows alike; a column
// that names a load is of that load in every row.
func rowNames(d *Data, by string, named []string) func(*series.Series) (string, bool) {
	if by == language.ByToolchain {
		return func(*series.Series) (string, bool) { return d.Name, true }
	}
	several := severalProcs(d)
	loads := by != string(Busy) && !slices.Contains(named, string(Busy)) &&
		slices.ContainsFunc(d.Cases, func(c *series.Series) bool {
			return Busy.Of(c) != Busy.Of(d.Cases[0])
		})
	return func(c *series.Series) (string, bool) {
		row, ok := Keys(c)(by)
		if ok && several && by != "gomaxprocs" {
			row += "-" + cmp.Or(Procs(c), "1") // go test names no GOMAXPROCS of 1
		}
		if ok && loads {
			row += Busy.Suffix(c)
		}
		return row, ok
	}
}

// severalProcs reports whether some benchmark was measured with several GOMAXPROCS.
// Programs' cases, which bear none, do not count.
func severalProcs(d *Data) bool {
	first := map[string]string{}
	for _, c := range d.Cases {
		base := strings.TrimSuffix(c.Case, "-"+Procs(c))
		if other, known := first[base]; known && other != Procs(c) {
			return true
		}
		first[base] = Procs(c)
	}
	return false
}
