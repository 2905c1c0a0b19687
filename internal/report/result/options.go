package result

import (
	"fmt"
	"math"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// Published returns the data sets that others published of a study.
type Published func(study string) []claim.File

// Options say what an answer is to hold.
type Options struct {
	Published Published // nil: nothing by others
	Evidence  bool      // what the pictures of a page show beside the figures
	Bare      bool      // cases of the study that was run by hand are named without allocator and setting
	Samples   bool      // every figure of each case, for comparing with another answer (Case.Samples)
	// Studies finds a study by the name that a file gives; nil, or a nil Study:
	// the file's results are shown as they are.
	Studies func(name string) *language.Study
}

func (a *Answer) warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

func figure(e claim.Estimate, unit string) figures.Figure {
	f := figures.Figure{Value: figures.Number(e.Centre), Lo: figures.Number(e.Interval.Lo),
		Hi:      figures.Number(e.Interval.Hi),
		Medians: figures.Number(e.Medians), N: e.Rounds, Unit: unit}
	if e.Interval.IsEmpty() {
		f.Lo, f.Hi = figures.Number(math.Inf(-1)), figures.Number(math.Inf(1))
		f.Note = "not constant over the run"
	}
	return f
}

// list is xs, or the empty list: JSON has null for what cannot be said, and that
// there is nothing can be said.
func list[T any](xs []T) []T {
	if xs == nil {
		return []T{}
	}
	return xs
}
