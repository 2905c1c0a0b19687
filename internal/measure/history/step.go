package history

import (
	"context"
	"slices"

	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
)

// A Measurement is a step as it is to be measured.
type Measurement struct {
	Sides   []Point // the first is the baseline
	Bench   string  // as of go test -bench
	Alpha   float64 // of the step's verdicts
	Results string  // the folder in which the run folder is made
	Resume  string  // a run folder to go on with, made for the same sides; "" begins one
	// Began is told the run folder as soon as it can be gone on with.
	Began func(folder string) error
}

// Measure takes the samples of a step. A side that cannot be built or run is a SideError.
type Measure func(ctx context.Context, m Measurement) (Outcome, error)

// An Outcome is what a step says, its sides in the order of the measurement.
type Outcome struct {
	Report  *compare.Report
	Missing []Missing
}

// Missing is a benchmark that a side does not have, or that cannot be measured there.
type Missing struct {
	Benchmark     // without a name: all of a package
	Side      int // its position
}

// A SideError says which side of a measurement cannot be measured: its position.
type SideError struct {
	Side int
	Err  error
}

func (e *SideError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *SideError) Unwrap() error { return e.Err }

// order returns the points of a step in the order in which they are measured as sides: the
// middle one is the baseline, so that it is compared with both.
func order(points []int) []int {
	if len(points) == 3 {
		return []int{points[1], points[0], points[2]}
	}
	return points
}

// fill adds to a step what a comparison of its points says.
func fill(step *Step, o Outcome) {
	sides := order(step.Points)
	for _, x := range o.Missing {
		if a := (Absence{Benchmark: x.Benchmark, Point: sides[x.Side]}); !slices.Contains(step.Absent, a) {
			step.Absent = append(step.Absent, a)
		}
	}
	for _, b := range o.Report.Benchmarks {
		for _, m := range b.Metrics {
			if !counted(m) {
				continue
			}
			id := ID{Benchmark: Benchmark{Package: b.Suite, Name: b.Name}, Unit: m.Unit}
			for i, c := range m.Changes {
				if i+1 >= len(sides) || !c.Ratio.Known() || c.Verdict == compare.Invalid {
					continue
				}
				x := Comparison{ID: id, From: sides[0], To: sides[i+1], Ratio: c.Ratio, Verdict: c.Verdict}
				if x.From > x.To {
					x.From, x.To, x.Ratio = x.To, x.From, inverse(c.Ratio)
				}
				step.Comparisons = append(step.Comparisons, x)
			}
		}
	}
	slices.SortStableFunc(step.Comparisons, func(a, b Comparison) int { return a.From - b.From })
}

// counted reports whether a metric is searched for changes: time, and what the benchmark
// itself reports. CPU time follows time, and scatters more.
func counted(m compare.Metric) bool { return m.Unit != "cpu-sec/op" }

// inverse returns 1 over a ratio.
func inverse(f figures.Figure) figures.Figure {
	f.Value, f.Medians, f.Lo, f.Hi = 1/f.Value, 1/f.Medians, 1/f.Hi, 1/f.Lo
	return f
}
