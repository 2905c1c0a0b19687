package history

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strings"

	"memcost/internal/document"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
)

// A Search looks for changes in so many points.
type Search struct {
	Points int
	// Stretches are the parts into which the grid of points that are measured first divides the
	// history; 0 is 4. Changes that cancel each other within one stretch are not found.
	Stretches int
	Every     bool // measures every point: for a history of few
}

// Defaults of a search.
const (
	stretches = 4
	// tries is how many points that fail are passed over between two others.
	tries = 10
)

// Tests returns how many comparisons lie on the way to a change.
func (s Search) Tests() int {
	if s.Every {
		return 1
	}
	return 1 + halvings((s.Points-1+s.stretches()-1)/s.stretches())
}

// Alpha returns the error rate of each step's verdicts, so that a change is found where it is
// with an error rate of alpha.
func (s Search) Alpha(alpha float64) float64 { return alpha / float64(s.Tests()) }

func (s Search) stretches() int { return cmp.Or(s.Stretches, stretches) }

// halvings returns how many steps find one of n points.
func halvings(n int) int {
	if n <= 1 {
		return 0
	}
	return int(math.Ceil(math.Log2(float64(n))))
}

// Next returns what is to be measured next, its results empty; false when nothing is left.
// It depends on the steps alone, so that a search can be gone on with at any time.
func (s Search) Next(steps []Step) (Step, bool) {
	k := learn(steps)
	grid := s.grid(k)
	if step, ok := k.gridStep(grid); ok {
		return step, true
	}
	if step, ok := k.gapStep(grid); ok {
		return step, true
	}
	wanted := k.wanted(grid)
	if len(wanted) == 0 {
		return Step{}, false
	}
	// The largest change first: who stops early has the most of it.
	most := slices.MaxFunc(wanted, func(a, b want) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(len(a.of), len(b.of)),
			cmp.Compare(b.points[0], a.points[0]))
	})
	slices.SortFunc(most.of, compareBenchmarks)
	return Step{Points: most.points, Benchmarks: most.of}, true
}

// Left returns how many steps are left as far as is known: each change that is known is
// searched to its end.
func (s Search) Left(steps []Step) int {
	k := learn(steps)
	grid := s.grid(k)
	n := 0
	for i := 1; i < len(grid); i++ {
		if len(k.asked[[2]int{grid[i-1], grid[i]}]) == 0 {
			n++
		}
	}
	n = (n + 1) / 2
	seen := map[[2]int]bool{}
	for _, w := range k.wanted(grid) {
		if ends := [2]int{w.points[0], w.points[2]}; !seen[ends] {
			seen[ends] = true
			n += halvings(ends[1] - ends[0])
		}
	}
	return n
}

// grid returns the points that are measured first. Where one of them failed, one beside it
// takes its place.
func (s Search) grid(k *known) []int {
	var ideal []int
	last := s.Points - 1
	n := s.stretches()
	if s.Every || n > last {
		n = last
	}
	for i := 0; i <= n; i++ {
		ideal = append(ideal, i*last/max(n, 1))
	}
	var out []int
	for i, p := range ideal {
		lo, hi := p, p
		if i > 0 {
			lo = (ideal[i-1]+p)/2 + 1
		}
		if i < len(ideal)-1 {
			hi = (p + ideal[i+1]) / 2
		}
		if at := k.nearest(p, lo, hi); at >= 0 && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// nearest returns the point from lo to hi that stands for p, −1 where too many were tried.
func (k *known) nearest(p, lo, hi int) int {
	at := closest(p, lo, hi, func(x int) bool { _, bad := k.bad[x]; return !bad })
	if at >= 0 && k.built[at] {
		return at
	}
	failed := 0
	for x := range k.bad {
		if x >= lo && x <= hi {
			failed++
		}
	}
	if failed > tries {
		return -1
	}
	return at
}

// closest returns the first usable point from lo to hi: p itself, then those beside it at
// distances that grow fourfold, so that a long stretch of failures is soon left, then all others;
// −1 where there is none.
func closest(p, lo, hi int, usable func(int) bool) int {
	for _, next := range []func(int) int{func(d int) int { return max(1, 4*d) }, func(d int) int { return d + 1 }} {
		for d := 0; d <= hi-lo; d = next(d) {
			for _, x := range []int{p + d, p - d} {
				if x >= lo && x <= hi && usable(x) {
					return x
				}
			}
		}
	}
	return -1
}

// gridStep returns the next neighbours of the grid that no step compared.
func (k *known) gridStep(grid []int) (Step, bool) {
	for i := 1; i < len(grid); i++ {
		if len(k.asked[[2]int{grid[i-1], grid[i]}]) > 0 {
			continue
		}
		points := []int{grid[i-1], grid[i]}
		if i+1 < len(grid) && len(k.asked[[2]int{grid[i], grid[i+1]}]) == 0 {
			points = append(points, grid[i+1])
		}
		return Step{Points: points}, true
	}
	return Step{}, false
}

// gapStep returns a step across points of the grid that lack a benchmark.
func (k *known) gapStep(grid []int) (Step, bool) {
	var step Step
	for _, b := range k.benchmarks() {
		for _, pair := range k.pairs(b, grid) {
			if k.wasAsked(b, pair[0], pair[1]) {
				continue
			}
			if step.Points == nil {
				step.Points = pair[:]
			}
			if step.Points[0] == pair[0] && step.Points[1] == pair[1] {
				step.Benchmarks = append(step.Benchmarks, b)
			}
		}
	}
	return step, step.Points != nil
}

// pairs are the neighbours among the points of the grid that have a benchmark.
func (k *known) pairs(b Benchmark, grid []int) [][2]int {
	var out [][2]int
	last := -1
	for _, p := range grid {
		if !k.usable(b, p) {
			continue
		}
		if last >= 0 {
			out = append(out, [2]int{last, p})
		}
		last = p
	}
	return out
}

// A want is a step that would narrow changes of some benchmarks.
type want struct {
	points []int
	of     []Benchmark
	size   float64 // of the largest change: |ln ratio|
}

// wanted are the steps that narrow what is known to have changed.
func (k *known) wanted(grid []int) []want {
	var out []want
	for _, id := range k.ids {
		for _, pair := range k.pairs(id.Benchmark, grid) {
			k.narrow(id, pair[0], pair[1], func(p, m, q int, size float64) {
				at := slices.IndexFunc(out, func(w want) bool { return slices.Equal(w.points, []int{p, m, q}) })
				if at < 0 {
					at = len(out)
					out = append(out, want{points: []int{p, m, q}})
				}
				w := &out[at]
				w.size = max(w.size, size)
				if !slices.Contains(w.of, id.Benchmark) {
					w.of = append(w.of, id.Benchmark)
				}
			})
		}
	}
	return out
}

// narrow finds the pairs of points between which a change lies that can be narrowed.
func (k *known) narrow(id ID, p, q int, found func(p, m, q int, size float64)) {
	c, ok := k.direct[id][[2]int{p, q}]
	if !ok || c.Verdict != Changed {
		return
	}
	if m := k.split(id.Benchmark, p, q); m >= 0 {
		k.narrow(id, p, m, found)
		k.narrow(id, m, q, found)
		return
	}
	if m := k.middle(id.Benchmark, p, q); m >= 0 {
		found(p, m, q, sizeOf(c))
	}
}

// middle returns the point at which a benchmark is to be measured between two others, −1
// where none is left.
func (k *known) middle(b Benchmark, p, q int) int {
	if q-p < 2 || k.failed[[2]int{p, q}] >= tries || !k.usable(b, p) || !k.usable(b, q) {
		return -1
	}
	return closest(p+(q-p)/2, p+1, q-1, func(x int) bool { return k.usable(b, x) })
}

// sizeOf returns how large a change is, as |ln ratio|; one from or to zero is larger than all.
func sizeOf(c Comparison) float64 {
	v := math.Abs(math.Log(float64(c.Ratio.Value)))
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

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
			id := ID{Benchmark: Benchmark{Package: b.Study, Name: b.Name}, Unit: m.Unit}
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

// pattern returns what go test -bench has to be given so that at least these benchmarks run.
// Names with parts are selected part by part, down to the parts that all of them have.
func pattern(of []Benchmark) string {
	var names [][]string
	least := 0
	for _, b := range of {
		parts := strings.Split(figures.TrimProcs(b.Name), "/")
		names = append(names, parts)
		if least == 0 || len(parts) < least {
			least = len(parts)
		}
	}
	var levels []string
	for i := range least {
		var any []string
		for _, parts := range names {
			if p := regexp.QuoteMeta(parts[i]); !slices.Contains(any, p) {
				any = append(any, p)
			}
		}
		begin := "^("
		if i == 0 {
			begin = "^Benchmark("
		}
		// What looks like GOMAXPROCS may be a part of the name.
		levels = append(levels, begin+strings.Join(any, "|")+")(-[0-9]+)?$")
	}
	return strings.Join(levels, "/")
}

// levels is what the cost of a metric through history is drawn from.
type levels struct {
	Points  []string       `json:"points"`
	Levels  []levelDrawn   `json:"levels"`
	Changes []changedDrawn `json:"changes"`
}

type levelDrawn struct {
	At    int               `json:"at"`
	Cost  [3]figures.Number `json:"cost"` // value, lo, hi
	Apart bool              `json:"apart,omitempty"`
	Says  string            `json:"says"`
}

type changedDrawn struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Says string `json:"says"`
}

// Picture draws the cost of a metric through history as steps, with the intervals and the changes;
// nil where it was measured at one point.
func (r *Report) Picture(x *Series) *document.Picture {
	if len(x.Levels) < 2 {
		return nil
	}
	d := levels{Changes: []changedDrawn{}}
	for _, p := range r.Points {
		d.Points = append(d.Points, p.Name)
	}
	for _, l := range x.Levels {
		d.Levels = append(d.Levels, levelDrawn{l.At, [3]figures.Number{l.Cost.Value, l.Cost.Lo, l.Cost.Hi}, l.Apart,
			r.Full(l.At) + ": " + l.Cost.String()})
	}
	for _, c := range x.Changes {
		d.Changes = append(d.Changes, changedDrawn{c.From, c.To, r.Sentence(x, c)})
	}
	return &document.Picture{Kind: "levels", Data: d, Says: document.Say(x.Name, ", ", x.Unit),
		Title: document.Say("cost as a multiple of that at the first point, with its 95% confidence interval")}
}
