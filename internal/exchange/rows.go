package exchange

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
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
		cw.Write([]string{r.Data, r.Study, r.Case, r.Unit, cell(r.Value), cell(r.Lo), cell(r.Hi), n})
	}
	cw.Flush()
	return cw.Error()
}
