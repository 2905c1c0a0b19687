package exchange

import "errors"

// A Row is one answer: a case of a study, in a set of data, in one unit.
type Row struct {
	Data, Study, Case, Unit string
	Value, Lo, Hi           float64 // base units; NaN where not known
	N                       int     // rounds it is computed from
}

var errNothing = errors.New("there is no row with a value that this format can hold")

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
