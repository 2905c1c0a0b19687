package compare

import (
	"cmp"
	"math"
	"slices"

	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
	"memcost/internal/report/result"
)

// A Trace is the ratio of a benchmark's times on one side to the first, round by round, and how
// its interval narrowed.
type Trace struct {
	Study, Benchmark, Side string
	Ratios                 []float64
	Looks                  []Look
}

// A Look is the interval as it was at one of the looks.
type Look struct {
	Rounds int
	Lo, Hi float64
}

const mostTraces = 24

// Traces returns the rounds of the benchmarks that differ most, and how many others there are.
func Traces(a *result.Answer, r *Report) (out []Trace, left int) {
	type found struct {
		Trace
		far   float64
		looks []int
		at    func(look int) stat.Interval
	}
	var all []found
	for side := 1; side < len(r.Sides); side++ {
		for i := range r.Benchmarks {
			b := &r.Benchmarks[i]
			m := b.Metric(Time)
			if m == nil || len(b.Invalid) > 0 {
				continue
			}
			d, base := judgedOf(a, b.Study, r.Sides[side].Name), judgedOf(a, b.Study, r.Sides[0].Name)
			if d == nil || base == nil || d.Find(b.Name) == nil || base.Find(b.Name) == nil {
				continue
			}
			logs, looks, at := d.Rounds(d.Find(b.Name), base.Find(b.Name), Time)
			if len(logs) == 0 {
				continue
			}
			x := found{Trace{Study: b.Study, Benchmark: b.Name, Side: r.Sides[side].Name},
				math.Abs(math.Log(float64(m.Changes[side-1].Ratio.Value))), looks, at}
			for _, l := range logs {
				x.Ratios = append(x.Ratios, math.Exp(l))
			}
			all = append(all, x)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.far, a.far) })
	for i, x := range all {
		if i == mostTraces {
			return out, len(all) - mostTraces
		}
		for _, n := range x.looks {
			if iv := x.at(n); !math.IsInf(iv.Lo, 0) && !math.IsInf(iv.Hi, 0) {
				x.Looks = append(x.Looks, Look{n, math.Exp(iv.Lo), math.Exp(iv.Hi)})
			}
		}
		out = append(out, x.Trace)
	}
	return out, 0
}

// judgedOf returns the samples of a study on a side, nil where there are none.
func judgedOf(a *result.Answer, study, side string) *claim.Judged {
	for i := range a.Studies {
		if a.Studies[i].Name != study {
			continue
		}
		for _, j := range a.Studies[i].Judged {
			if j.Name == side {
				return j
			}
		}
	}
	return nil
}
