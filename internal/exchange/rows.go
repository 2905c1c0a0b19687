package exchange

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A Row is one answer: a case of a study, in a set of data, in one unit.
type Row struct {
	Data, Study, Case, Unit string
	Value, Lo, Hi           float64 // base units; NaN where not known
	N                       int     // rounds it rests on
}

// WriteRows writes rows, in their order, as Action, Bencher or CSV.
//
// Action and Bencher have one name for a benchmark: it is "study/case", and
// "study/case (data)" where there are rows of several sets of data. They cannot
// say that a value is not known, so a row without a finite value is left out
// there, and both refuse a file with nothing in it: that is an error here. In
// CSV what is not known is an empty cell.
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

var errNothing = errors.New("there is no row with a value that this format can hold")

// rowNames are the names of rows, by index.
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

// scaled is a row's figures in another unit. Twelve digits keep the scaling
// from showing (82.3499 ns, not 82.34990000000001) and are more than any clock
// resolves.
func (r Row) scaled(factor float64) (value, lo, hi float64) {
	scale := func(v float64) float64 {
		if factor == 1 {
			return v
		}
		return digits(v*factor, 12)
	}
	return scale(r.Value), scale(r.Lo), scale(r.Hi)
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
		cw.Write([]string{r.Data, r.Study, r.Case, r.Unit, cell(r.Value), cell(r.Lo), cell(r.Hi), n})
	}
	cw.Flush()
	return cw.Error()
}
