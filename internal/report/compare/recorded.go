package compare

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// OfFiles compares answers whose samples were not taken in turns: of files, or of runs that are
// compared after the event. Each stands with its first configuration, and holds its samples
// (result.Options.Samples).
//
// A ratio is that of Hodges and Lehmann with the interval of the Mann–Whitney test. A metric
// changed where the interval lies outside of the margin and the test's p stands among all of
// the report (Benjamini and Hochberg at alpha); it is equivalent where the interval lies inside.
func OfFiles(answers []*result.Answer, margin, alpha float64) *Report {
	names := result.Labels(answers)
	r := &Report{Format: ReportFormat, Margin: margin, Alpha: alpha, Sides: []Side{}, Benchmarks: []Benchmark{},
		Geomeans: []Geomean{}, OneSided: []plan.OneSided{}, NoiseFloor: []result.Noise{}, Warnings: []string{}}
	for i, a := range answers {
		r.Sides = append(r.Sides, Side{Name: names[i], Source: a.Source, Kind: OfRecord})
	}
	var pairs []*recorded
	for _, shared := range Studies(answers) {
		pairs = append(pairs, r.match(shared)...)
	}
	var work sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, x := range pairs {
		limit <- struct{}{}
		work.Go(func() {
			x.compare(names, margin, alpha)
			<-limit
		})
	}
	work.Wait()
	together(pairs, alpha)
	for _, x := range pairs {
		for i := range x.Metrics {
			x.Metrics[i].judge()
		}
		r.Benchmarks = append(r.Benchmarks, x.Benchmark)
	}
	r.Geomeans = geomeansOfMedians(r.Benchmarks, len(r.Sides))
	r.Warnings = append(r.Warnings, recordedWarnings(answers, names)...)
	r.Says = r.sentences()
	return r
}

// A recorded benchmark has a case on each side.
type recorded struct {
	Benchmark
	cases []*result.Case
	p     [][]float64 // by metric, by side but the first
}

// match puts the cases of a study's sides together, and lists those that some side lacks.
func (r *Report) match(shared Study) []*recorded {
	at := make([]int, len(r.Sides)) // of each side, among those that have the study
	for i := range at {
		at[i] = -1
	}
	for i, from := range shared.Sides {
		at[from.Answer] = i
	}
	var out []*recorded
	seen := map[*result.Case]bool{}
	for _, from := range shared.Sides {
		for _, c := range from.cases {
			if seen[c] {
				continue
			}
			found := make([]*result.Case, len(at))
			var on []string
			for i, j := range at {
				if j >= 0 {
					found[i] = shared.Sides[j].find(c, from)
				}
				if found[i] != nil {
					seen[found[i]] = true
					on = append(on, r.Sides[i].Name)
				}
			}
			if len(on) < len(at) {
				r.OneSided = append(r.OneSided, plan.OneSided{Study: shared.Name, Name: c.Name, On: on})
				continue
			}
			out = append(out, &recorded{Benchmark: Benchmark{Study: shared.Name, Name: c.Name, Metrics: []Metric{}},
				cases: found})
		}
	}
	return out
}

// compare fills in the metrics that all sides have.
func (x *recorded) compare(names []string, margin, alpha float64) {
	for i, c := range x.cases {
		for _, why := range c.Invalid {
			x.Invalid = append(x.Invalid, names[i]+": "+why)
		}
		if c.Failed != "" {
			x.Failed = append(x.Failed, names[i]+": "+c.Failed)
		}
	}
	for _, unit := range unitsOfAll(x.cases) {
		higher, known := direction(unit)
		m := Metric{Unit: unit, HigherIsBetter: higher, NoDirection: !known, Exact: true}
		for _, c := range x.cases {
			vs := samplesOf(c, unit)
			m.Values = append(m.Values, result.MedianOf(vs, unit, alpha))
			m.Exact = m.Exact && countable(unit) && slices.Max(vs) == slices.Min(vs)
		}
		base := samplesOf(x.cases[0], unit)
		var ps []float64
		for _, c := range x.cases[1:] {
			change, p := recordedChange(base, samplesOf(c, unit), m.Exact, margin, alpha)
			if len(x.Invalid) > 0 {
				change.Verdict, p = Invalid, math.NaN()
			}
			m.Changes, ps = append(m.Changes, change), append(ps, p)
		}
		x.Metrics, x.p = append(x.Metrics, m), append(x.p, ps)
	}
}

// countable reports whether figures of a unit are counts: times are not, however equal they are.
func countable(unit string) bool {
	return !strings.Contains(unit, "sec") && !strings.HasSuffix(unit, "/s")
}

// unitsOfAll are the units of which every case has samples, time and allocations first.
func unitsOfAll(cases []*result.Case) []string {
	var out []string
	add := func(unit string) {
		if !slices.Contains(out, unit) && !slices.ContainsFunc(cases, func(c *result.Case) bool {
			return len(samplesOf(c, unit)) == 0
		}) {
			out = append(out, unit)
		}
	}
	for _, unit := range common {
		add(unit)
	}
	var others []string
	for unit := range cases[0].Samples {
		others = append(others, unit)
	}
	slices.Sort(others)
	for _, unit := range others {
		add(unit)
	}
	return out
}

func samplesOf(c *result.Case, unit string) []float64 {
	if unit == "sec/op" {
		return c.Times
	}
	return c.Samples[unit]
}

// recordedChange compares b with a, and returns the p of no difference.
func recordedChange(a, b []float64, exact bool, margin, alpha float64) (Change, float64) {
	n := min(len(a), len(b))
	c := Change{Verdict: Undecided, Rounds: n, Ratio: figures.Single(stat.Median(b)/stat.Median(a), n, "")}
	if exact {
		c.exactly(b[0], a[0], margin)
		return c, math.NaN()
	}
	p := stat.MannWhitney(a, b)
	ratio, iv := stat.Shift(a, b, alpha)
	if math.IsNaN(ratio) { // of figures that are 0 or less there are no logarithms
		c.Ratio.Note = "some figures are 0"
		return c, p
	}
	c.Ratio = c.Ratio.Between(iv)
	c.Ratio.Value = figures.Number(ratio)
	c.Verdict = verdictOf(iv, margin, len(a), "")
	return c, p
}

// together takes back the changes that do not stand when all tests are counted together.
func together(pairs []*recorded, alpha float64) {
	var ps []float64
	for _, x := range pairs {
		for _, of := range x.p {
			ps = append(ps, of...)
		}
	}
	stand := stat.BenjaminiHochberg(ps, alpha)
	for _, x := range pairs {
		for i := range x.Metrics {
			for j := range x.Metrics[i].Changes {
				c := &x.Metrics[i].Changes[j]
				if c.Verdict == Changed && !x.Metrics[i].Exact && !stand[0] {
					c.Verdict = Undecided
				}
				stand = stand[1:]
			}
		}
	}
}

// geomeansOfMedians are those of the benchmarks of which all sides have figures above 0. They
// have no interval: the errors of benchmarks that were recorded together are not independent.
func geomeansOfMedians(benchmarks []Benchmark, sides int) []Geomean {
	var out []Geomean
	for _, unit := range common {
		sums, n := make([]float64, sides), 0
		for _, b := range benchmarks {
			m := b.Metric(unit)
			if m == nil || len(b.Invalid) > 0 || slices.ContainsFunc(m.Values, func(f figures.Figure) bool {
				return !(f.Value > 0)
			}) {
				continue
			}
			for i, f := range m.Values {
				sums[i] += math.Log(float64(f.Value))
			}
			n++
		}
		if n < 2 {
			continue
		}
		g := Geomean{Unit: unit}
		for i, sum := range sums {
			f := figures.NoFigure()
			f.Value, f.Medians, f.N, f.Unit = figures.Number(math.Exp(sum/float64(n))), f.Value, n, unit
			g.Values = append(g.Values, f)
			if i > 0 {
				c := Change{Verdict: Undecided, Rounds: n, Ratio: figures.NoFigure()}
				c.Ratio.Value, c.Ratio.N = figures.Number(math.Exp((sum-sums[0])/float64(n))), n
				g.Changes = append(g.Changes, c)
			}
		}
		out = append(out, g)
	}
	return out
}

// apart says what a comparison of sides that were not measured in turns is worth.
const apart = "the sides were not measured in turns, so that a difference may come from the machine and not from the " +
	"code: this is a weaker statement than that of memcost compare on the code itself"

// recordedWarnings say what a comparison of records cannot tell.
func recordedWarnings(answers []*result.Answer, names []string) []string {
	out := []string{apart}
	for i, a := range answers {
		if n := len(a.Sides); n > 1 {
			out = append(out, fmt.Sprintf("%s holds %s: it stands here with the first, %s", names[i],
				units.Plural(n, "configuration"), a.Sides[0].Name))
		}
		if a.Busy != "" {
			out = append(out, names[i]+": "+a.Busy)
		}
		if m, first := a.MachineName(), answers[0].MachineName(); i > 0 && m != first && m != "" && first != "" {
			out = append(out, fmt.Sprintf("%s was measured on %s, and %s on %s: another machine", names[i], m, names[0],
				first))
		}
	}
	return out
}
