package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"memcost/internal/report/figures"
)

// A simulation measures points whose costs are known.
type simulation struct {
	points  int
	costs   map[ID]func(at int) float64
	noise   float64 // of ln ratio, its standard deviation
	broken  map[int]bool
	without map[int]string // a benchmark that a point does not have
	rng     *rand.Rand

	built map[int]bool
	tried map[int]bool // built or failed
}

const simulatedMargin = 0.01

func simulate(points int, costs map[string]func(int) float64) *simulation {
	s := &simulation{points: points, costs: map[ID]func(int) float64{}, noise: 0.002, broken: map[int]bool{},
		without: map[int]string{}, rng: rand.New(rand.NewPCG(14, uint64(points))), built: map[int]bool{},
		tried: map[int]bool{}}
	for name, cost := range costs {
		s.costs[ID{Benchmark{"example.com/p", name}, "sec/op"}] = cost
	}
	return s
}

// from makes costs that are multiplied by a factor from a point on.
func from(changes map[int]float64) func(int) float64 {
	return func(at int) float64 {
		v := 1.0
		for i, f := range changes {
			if at >= i {
				v *= f
			}
		}
		return v
	}
}

func (s *simulation) measure(ask Step) Step {
	ask.Done = true
	for _, p := range ask.Points {
		s.tried[p] = true
		if s.broken[p] {
			ask.Failed = append(ask.Failed, Failure{p, "does not build"})
		}
	}
	if len(ask.Failed) > 0 {
		return ask
	}
	for _, p := range ask.Points {
		s.built[p] = true
	}
	ids := make([]ID, 0, len(s.costs))
	for id := range s.costs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ID) int { return compareBenchmarks(a.Benchmark, b.Benchmark) })
	for _, id := range ids {
		if !ask.has(id.Benchmark) {
			continue
		}
		gone := false
		for _, p := range ask.Points {
			if s.without[p] == id.Name {
				ask.Absent = append(ask.Absent, Absence{id.Benchmark, p})
				gone = true
			}
		}
		if gone {
			continue
		}
		for i := 1; i < len(ask.Points); i++ {
			p, q := ask.Points[i-1], ask.Points[i]
			ask.Comparisons = append(ask.Comparisons, s.compare(id, p, q))
		}
	}
	return ask
}

func (s *simulation) compare(id ID, p, q int) Comparison {
	const width = 4 // standard deviations
	at := math.Log(s.costs[id](q)/s.costs[id](p)) + s.noise*s.rng.NormFloat64()
	lo, hi := at-width*s.noise, at+width*s.noise
	margin := math.Log1p(simulatedMargin)
	c := Comparison{ID: id, From: p, To: q, Verdict: Undecided, Ratio: figures.Figure{
		Value: figures.Number(math.Exp(at)), Lo: figures.Number(math.Exp(lo)), Hi: figures.Number(math.Exp(hi)), N: 10}}
	switch {
	case lo > margin || hi < -margin:
		c.Verdict = Changed
	case lo > -margin && hi < margin:
		c.Verdict = Equivalent
	}
	return c
}

// search measures until nothing is left.
func (s *simulation) search(t *testing.T, search Search) (*Report, []Step) {
	t.Helper()
	var steps []Step
	for {
		ask, more := search.Next(steps)
		if !more {
			break
		}
		if !slices.IsSorted(ask.Points) || len(ask.Points) < 2 || len(ask.Points) > 3 {
			t.Fatalf("step of %v", ask.Points)
		}
		steps = append(steps, s.measure(ask))
		if len(steps) > 5*s.points {
			t.Fatalf("the search does not end: %+v", steps[len(steps)-3:])
		}
	}
	if left := search.Left(steps); left != 0 {
		t.Errorf("%d steps are said to be left at the end", left)
	}
	points := make([]Point, s.points)
	for i := range points {
		points[i].Name = fmt.Sprintf("c%d", i)
	}
	return search.Report(points, steps), steps
}

// found returns the changes of a report in a line.
func found(r *Report) string {
	var out []string
	for _, x := range r.Series {
		for _, c := range x.Changes {
			s := fmt.Sprintf("%s %d-%d", x.Name, c.From, c.To)
			if c.Why != "" {
				s += " " + c.Why
			}
			out = append(out, s)
		}
	}
	return fmt.Sprint(out)
}

func TestSearch(t *testing.T) {
	for _, tt := range []struct {
		name   string
		points int
		costs  map[string]func(int) float64
		want   string
		most   int // points built
	}{
		{"one point", 1, map[string]func(int) float64{"A": from(nil)}, "[]", 0},
		{"two points", 2, map[string]func(int) float64{"A": from(map[int]float64{1: 1.1})}, "[A 0-1]", 2},
		{"nothing", 1000, map[string]func(int) float64{"A": from(nil), "B": from(nil)}, "[]", 5},
		{"the first commit", 1000, map[string]func(int) float64{"A": from(map[int]float64{1: 1.05})}, "[A 0-1]", 13},
		{"the last commit", 1000, map[string]func(int) float64{"A": from(map[int]float64{999: 0.9})}, "[A 998-999]",
			13},
		{"one of 1000", 1000, map[string]func(int) float64{"A": from(map[int]float64{617: 1.05}), "B": from(nil)},
			"[A 616-617]", 13},
		{"two of 1000", 1000, map[string]func(int) float64{"A": from(map[int]float64{100: 1.3, 617: 0.8})},
			"[A 99-100 A 616-617]", 21},
		{"two that are near", 1000, map[string]func(int) float64{"A": from(map[int]float64{610: 1.3, 617: 1.2})},
			"[A 609-610 A 616-617]", 17},
		{"of several benchmarks at once", 1000, map[string]func(int) float64{"A": from(map[int]float64{300: 1.05}),
			"B": from(map[int]float64{300: 2}), "C": from(nil)}, "[A 299-300 B 299-300]", 13},
		{"of several benchmarks apart", 1000, map[string]func(int) float64{"A": from(map[int]float64{300: 1.05}),
			"B": from(map[int]float64{900: 2})}, "[A 299-300 B 899-900]", 21},
		{"slower and faster again", 1000, map[string]func(int) float64{
			"A": from(map[int]float64{200: 1.2, 520: 1 / 1.2})}, "[A 199-200 A 519-520]", 21},
		{"six of 60", 60, map[string]func(int) float64{
			"A": from(map[int]float64{5: 1.1, 15: 1.1, 25: 1.1, 35: 1.1, 45: 1.1, 55: 1.1})},
			"[A 4-5 A 14-15 A 24-25 A 34-35 A 44-45 A 54-55]", 30},
		{"small steps", 400, map[string]func(int) float64{
			"A": func(at int) float64 { return math.Exp(0.0001 * float64(at)) }}, "", 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := simulate(tt.points, tt.costs)
			r, _ := s.search(t, Search{Points: tt.points})
			if got := found(r); got != tt.want && tt.want != "" {
				t.Errorf("found %s, want %s", got, tt.want)
			}
			if len(s.built) > tt.most || r.Built != len(s.built) {
				t.Errorf("%d points were built (the report says %d), want %d at most", len(s.built), r.Built, tt.most)
			}
			t.Logf("%d builds, %d steps", len(s.built), r.Steps)
		})
	}
}

// A drift that no commit makes alone is said to be one.
func TestSpread(t *testing.T) {
	drift := func(each float64) map[string]func(int) float64 {
		return map[string]func(int) float64{"A": func(at int) float64 { return math.Exp(each * float64(at)) }}
	}
	s := simulate(200, drift(0.0002))
	s.noise = 0.0002
	r, _ := s.search(t, Search{Points: 200})
	for _, c := range r.Series[0].Changes {
		if c.Why != Spread && c.Why != Unresolved {
			t.Errorf("%+v", c)
		}
	}
	s = simulate(200, drift(0.0005))
	s.noise = 0.0002
	r, _ = s.search(t, Search{Points: 200})
	if len(r.Series[0].Changes) == 0 {
		t.Error("a drift of 10% is not found")
	}
	for _, c := range r.Series[0].Changes {
		if c.Why != Spread && c.Why != Unresolved {
			t.Errorf("%+v", c)
		}
	}
}

// Changes that cancel each other between two points of the grid are missed, as documented; a
// finer grid finds them.
func TestCancelling(t *testing.T) {
	costs := map[string]func(int) float64{"A": from(map[int]float64{620: 1.2, 650: 1 / 1.2})}
	r, _ := simulate(1000, costs).search(t, Search{Points: 1000})
	if got := found(r); got != "[]" || r.Stretch != 250 {
		t.Errorf("found %s, stretches of %d", got, r.Stretch)
	}
	r, _ = simulate(1000, costs).search(t, Search{Points: 1000, Stretches: 40})
	if got := found(r); got != "[A 619-620 A 649-650]" {
		t.Errorf("found %s", got)
	}
	r, _ = simulate(15, map[string]func(int) float64{"A": from(map[int]float64{6: 1.2, 7: 1 / 1.2})}).search(t,
		Search{Points: 15, Every: true})
	if got := found(r); got != "[A 5-6 A 6-7]" || r.Built != 15 || r.Steps != 7 {
		t.Errorf("found %s with %d builds in %d steps", got, r.Built, r.Steps)
	}
}

func TestPointsThatFail(t *testing.T) {
	all := func(from, to int) map[int]bool {
		out := map[int]bool{}
		for i := from; i <= to; i++ {
			out[i] = true
		}
		return out
	}
	costs := map[string]func(int) float64{"A": from(map[int]float64{617: 1.2})}
	for _, tt := range []struct {
		name   string
		broken map[int]bool
		want   string
		most   int // points tried
	}{
		{"beside the change", all(615, 616), "[A 614-617 unbuildable]", 16},
		{"the change itself", all(617, 617), "[A 616-618 unbuildable]", 14},
		{"the ends", map[int]bool{0: true, 1: true, 999: true}, "[A 616-617]", 17},
		{"the grid's middle", all(490, 510), "[A 616-617]", 19},
		{"a long stretch", all(600, 640), "[A 599-641 unbuildable]", 30},
		{"every other", func() map[int]bool {
			out := map[int]bool{}
			for i := 1; i < 1000; i += 2 {
				out[i] = true
			}
			return out
		}(), "[A 616-618 unbuildable]", 26},
		{"all", all(0, 999), "[]", 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := simulate(1000, costs)
			s.broken = tt.broken
			r, steps := s.search(t, Search{Points: 1000})
			got := found(r)
			if tt.name == "a long stretch" { // too many to try them all: the interval holds the change
				if c := r.Series[0].Changes; len(c) != 1 || c[0].From >= 617 || c[0].To < 617 ||
					c[0].Why != Unbuildable || c[0].To-c[0].From > 60 {
					t.Errorf("found %s", got)
				}
			} else if got != tt.want {
				t.Errorf("found %s, want %s", got, tt.want)
			}
			if len(s.tried) > tt.most {
				t.Errorf("%d points were tried in %d steps, want %d at most", len(s.tried), len(steps), tt.most)
			}
			for p := range tt.broken {
				if s.built[p] {
					t.Errorf("point %d was built", p)
				}
			}
			t.Logf("%d builds, %d tried", len(s.built), len(s.tried))
		})
	}
}

// A benchmark that some points do not have is compared over those that have it.
func TestPointsWithoutABenchmark(t *testing.T) {
	change := from(map[int]float64{60: 1.2})
	s := simulate(101, map[string]func(int) float64{"A": change, "B": change})
	s.without = map[int]string{50: "A", 62: "A"}
	r, _ := s.search(t, Search{Points: 101})
	if got := found(r); got != "[A 59-60 B 59-60]" && got != "[B 59-60 A 59-60]" {
		t.Errorf("found %s", got)
	}
}

// A search that stops at any step and goes on later asks for the same, for all that it knows are the
// steps; what an unfinished step holds does not count.
func TestSearchGoesOn(t *testing.T) {
	costs := map[string]func(int) float64{"A": from(map[int]float64{100: 1.3, 617: 0.8})}
	search := Search{Points: 1000}
	_, steps := simulate(1000, costs).search(t, search)
	for i := range steps {
		ask, more := search.Next(steps[:i])
		if !more || !slices.Equal(ask.Points, steps[i].Points) {
			t.Errorf("after %d steps: %v, want %v", i, ask.Points, steps[i].Points)
		}
		half := slices.Clone(steps[:i+1])
		half[i].Done = false
		if ask, _ := search.Next(half); !slices.Equal(ask.Points, steps[i].Points) {
			t.Errorf("after an unfinished step %d: %v", i, ask.Points)
		}
		if i > 0 && search.Left(steps[:i]) == 0 {
			t.Errorf("after %d steps of %d none is said to be left", i, len(steps))
		}
	}
	r := search.Report(make([]Point, 1000), steps[:4])
	if got := r.Series[0].Changes; len(got) == 0 || got[0].Why != Unfinished {
		t.Errorf("%+v", got)
	}
}

// How often the commit that is named is the right one, and how often one is named where nothing
// changed: with verdicts that are wrong at the rate of their α.
func TestSearchErrorRate(t *testing.T) {
	const trials = 400
	right, alarms := 0, 0
	for i := range trials {
		at := 1 + i*997/trials
		s := simulate(1000, map[string]func(int) float64{"A": from(map[int]float64{at: 1.05}), "B": from(nil)})
		s.rng = rand.New(rand.NewPCG(uint64(i), 3))
		r, _ := s.search(t, Search{Points: 1000})
		for _, x := range r.Series {
			switch {
			case x.Name == "B":
				alarms += len(x.Changes)
			case len(x.Changes) == 1 && x.Changes[0].To == at && x.Changes[0].Why == "":
				right++
			}
		}
	}
	if right < trials*95/100 || alarms > trials*5/100 {
		t.Errorf("%d of %d right, %d false alarms", right, trials, alarms)
	}
	if got := (Search{Points: 1000}).Tests(); got != 9 {
		t.Errorf("%d tests on the way to a commit", got)
	}
}

// The costs through history are chained from neighbours, and lie near the truth.
func TestLevels(t *testing.T) {
	truth := from(map[int]float64{100: 1.3, 617: 0.8})
	s := simulate(1000, map[string]func(int) float64{"A": truth})
	r, _ := s.search(t, Search{Points: 1000})
	levels := r.Series[0].Levels
	if len(levels) != r.Built {
		t.Errorf("%d levels of %d points", len(levels), r.Built)
	}
	for i, l := range levels {
		if v := float64(l.Cost.Value); math.Abs(v/truth(l.At)-1) > 0.03 || float64(l.Cost.Lo) > truth(l.At) ||
			float64(l.Cost.Hi) < truth(l.At) || l.Apart {
			t.Errorf("at %d: %v, want %v", l.At, l.Cost, truth(l.At))
		}
		if i > 0 && levels[i-1].At >= l.At {
			t.Errorf("levels out of order at %d", l.At)
		}
	}
}
