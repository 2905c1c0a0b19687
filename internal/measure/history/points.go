// Package history finds the commits, or the releases of Go, that changed the cost of
// benchmarks. It says which points of a history are to be measured next, and what those
// that were measured say; it measures nothing itself.
//
// # The search
//
// Points are numbered in the order of time. A step measures two or three of them side by
// side, so that each is compared with its neighbours in the step. First come the neighbours
// of a coarse grid, which ends at the oldest and at the newest point. Between two points that
// differ, the point in the middle is measured beside both, and so on in each half that
// differs, until the two are neighbours. All benchmarks that differ between two points share
// the steps. Of 1,000 points with one change 13 are built: 5 of the grid and 8 more.
//
// A point that cannot be built or run is passed over, and one beside it is tried. A change is
// then known to lie behind one point and not later than another.
//
// # What it misses
//
// Changes that cancel each other within a stretch of the grid, a quarter of the points: one
// half makes the code slower and the other faster again. Changes that are smaller than the
// margin, or that the budget of a step leaves undecided. Both are said in the report.
//
// # Error rate
//
// On the way to a commit there are as many tests as [Search.Tests] says. Each is made at α
// over that number, so that a change is reported, and at the right place, with an error rate
// of α. [Search.Alpha] gives it.
package history

import (
	"cmp"
	"context"
	"fmt"
	"go/version"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
)

// OfCommits returns the state of a search through a range of commits of the repository of a folder.
func OfCommits(ctx context.Context, t *session.Tools, spec string, o session.Options, dir string) (*SearchState, error) {
	repo, err := source.Open(ctx, t.Runner, t.Env, dir)
	if err != nil {
		return nil, err
	}
	commits, err := repo.Range(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("--each: %w", err)
	}
	return New(Commits, SearchCommits(commits), o, dir, time.Now()), nil
}

// OfReleases returns the state of a search through releases of Go, as --go lists them.
func OfReleases(ctx context.Context, t *session.Tools, spec string, o session.Options, dir string) (*SearchState, error) {
	if err := source.Check(spec); err != nil {
		return nil, err
	}
	list, err := source.Expand(ctx, t.Finder, spec)
	if err != nil {
		return nil, err
	}
	for i, v := range list {
		if list[i], _, err = t.Finder.Resolve(ctx, v); err != nil {
			return nil, fmt.Errorf("--go %s: %w", v, err)
		}
	}
	points := SearchReleases(list)
	if len(points) < 2 {
		return nil, hint.Usage("for example --go 1.24,1.25,1.26",
			"--go %s is one release, and a comparison needs two", spec)
	}
	return New(Releases, points, o, dir, time.Now()), nil
}

// Plan says in lines how the search begins.
func (s *SearchState) Plan() []string {
	out := []string{fmt.Sprintf("%d %s, from %s to %s", len(s.Points), s.Kind, s.Points[0].Name,
		s.Points[len(s.Points)-1].Name)}
	search := s.Search()
	var steps []Step
	for {
		step, more := search.Next(steps)
		if !more {
			break
		}
		out = append(out, fmt.Sprintf("step %d: %s", len(steps)+1, strings.Join(s.names(step.Points), ", ")))
		step.Done = true
		steps = append(steps, step)
	}
	if most := search.Tests() - 1; most > 0 {
		out = append(out, fmt.Sprintf("then %s for each commit that changed something", units.Plural(most, "step")))
	}
	return out
}

func (s *SearchState) names(points []int) []string {
	var out []string
	for _, at := range points {
		out = append(out, s.Points[at].Name)
	}
	return out
}

// leastDigits is how many digits of a commit name it at least.
const leastDigits = 7

// Commits returns the points of a range of commits, each called by as many digits as tell them
// apart.
func SearchCommits(steps []source.Step) []Point {
	digits := leastDigits
	for seen := map[string]bool{}; digits < 40; digits++ {
		clear(seen)
		for _, s := range steps {
			seen[s.Hash[:min(digits, len(s.Hash))]] = true
		}
		if len(seen) == len(steps) {
			break
		}
	}
	var out []Point
	for _, s := range steps {
		out = append(out, Point{Name: s.Hash[:min(digits, len(s.Hash))], Merge: s.Merge, Source: &plan.Source{
			Revision: s.Hash, Commit: s.Hash, Subject: s.Subject, Date: s.Date}})
	}
	return out
}

// Releases returns the points of releases of Go, the oldest first.
func SearchReleases(toolchains []string) []Point {
	toolchains = slices.Clone(toolchains)
	slices.SortFunc(toolchains, func(a, b string) int { return cmp.Or(version.Compare(a, b), cmp.Compare(a, b)) })
	var out []Point
	for _, t := range slices.Compact(toolchains) {
		out = append(out, Point{Name: t})
	}
	return out
}

// A Point is a commit, or a release of Go.
type Point struct {
	Name   string       `json:"name"` // "abc1234", "go1.25.4"
	Source *plan.Source `json:"source,omitempty"`
	Merge  bool         `json:"merge,omitempty"` // a merge commit, which stands for all that it merged
}

// A Benchmark is one of a package; of an absence, without a name, all of a package.
type Benchmark struct {
	Package string `json:"package"`
	Name    string `json:"name"`
}

func compareBenchmarks(a, b Benchmark) int {
	return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
}

// An ID names a metric of a benchmark.
type ID struct {
	Benchmark
	Unit string `json:"unit"`
}

// What a comparison says.
const (
	Changed    = claim.Changed
	Equivalent = claim.Equivalent
	Undecided  = claim.Open
)

// A Comparison is what a step says of two of its points, which are numbers.
type Comparison struct {
	ID
	From    int              `json:"from"`
	To      int              `json:"to"`    // later than From
	Ratio   figures.Figure   `json:"ratio"` // To over From
	Verdict claim.Difference `json:"verdict"`
}

// A Failure is a point that could not be built or run.
type Failure struct {
	Point  int    `json:"point"`
	Reason string `json:"reason"`
}

// An Absence is a benchmark that a point does not have.
type Absence struct {
	Benchmark
	Point int `json:"point"`
}

// A Step is two or three points that are measured side by side, each compared with the next.
// One in which a point failed compares nothing.
type Step struct {
	Points      []int        `json:"points"`               // ascending
	Benchmarks  []Benchmark  `json:"benchmarks,omitempty"` // none: all that there are
	Folder      string       `json:"folder,omitempty"`     // of its samples
	Done        bool         `json:"done"`
	Seconds     float64      `json:"seconds,omitempty"` // that it took
	Failed      []Failure    `json:"failed,omitempty"`
	Absent      []Absence    `json:"absent,omitempty"`
	Comparisons []Comparison `json:"comparisons,omitempty"`
}

// known is what the steps that were measured say.
type known struct {
	bad    map[int]string               // points that failed, with the reason
	built  map[int]bool                 // points that were measured
	ids    []ID                         // in the order in which they were found
	direct map[ID]map[[2]int]Comparison // of points that were compared
	absent map[Benchmark]map[int]bool   // points without the benchmark
	asked  map[[2]int][]*Step           // steps without a failure in which both are neighbours
	splits map[[2]int][]*Step           // steps without a failure from one to the other, by way of a third
	failed map[[2]int]int               // steps from one to the other in which a point failed
}

func learn(steps []Step) *known {
	k := &known{bad: map[int]string{}, built: map[int]bool{}, direct: map[ID]map[[2]int]Comparison{},
		absent: map[Benchmark]map[int]bool{}, asked: map[[2]int][]*Step{}, splits: map[[2]int][]*Step{},
		failed: map[[2]int]int{}}
	for i := range steps {
		if s := &steps[i]; s.Done && len(s.Points) > 1 {
			k.add(s)
		}
	}
	return k
}

func (k *known) add(s *Step) {
	ends := [2]int{s.Points[0], s.Points[len(s.Points)-1]}
	for _, f := range s.Failed {
		k.bad[f.Point] = f.Reason
	}
	if len(s.Failed) > 0 {
		k.failed[ends]++
		return
	}
	for i, p := range s.Points {
		k.built[p] = true
		if i > 0 {
			pair := [2]int{s.Points[i-1], p}
			k.asked[pair] = append(k.asked[pair], s)
		}
	}
	if len(s.Points) == 3 {
		k.splits[ends] = append(k.splits[ends], s)
		k.unmeasured(s)
	}
	for _, a := range s.Absent {
		if k.absent[a.Benchmark] == nil {
			k.absent[a.Benchmark] = map[int]bool{}
		}
		k.absent[a.Benchmark][a.Point] = true
	}
	for _, c := range s.Comparisons {
		if k.direct[c.ID] == nil {
			k.direct[c.ID] = map[[2]int]Comparison{}
			k.ids = append(k.ids, c.ID)
		}
		k.direct[c.ID][[2]int{c.From, c.To}] = c
	}
}

// unmeasured notes the benchmarks that a step was made for and that have no figure in it: another
// point is tried for them.
func (k *known) unmeasured(s *Step) {
	lost := 0
	for _, b := range s.Benchmarks {
		if slices.ContainsFunc(s.Comparisons, func(c Comparison) bool { return c.Benchmark == b }) {
			continue
		}
		lost++
		if k.absent[b] == nil {
			k.absent[b] = map[int]bool{}
		}
		k.absent[b][s.Points[1]] = true
	}
	if lost > 0 && lost == len(s.Benchmarks) {
		k.failed[[2]int{s.Points[0], s.Points[2]}]++
	}
}

// has reports whether a step measured a benchmark: all steps that name none do.
func (s *Step) has(b Benchmark) bool {
	return len(s.Benchmarks) == 0 || slices.Contains(s.Benchmarks, b)
}

// wasAsked reports whether a benchmark was compared at two points, whatever came of it.
func (k *known) wasAsked(b Benchmark, p, q int) bool {
	return slices.ContainsFunc(k.asked[[2]int{p, q}], func(s *Step) bool { return s.has(b) })
}

// split returns the point between two at which a benchmark was measured beside both, or −1.
func (k *known) split(b Benchmark, p, q int) int {
	for _, s := range k.splits[[2]int{p, q}] {
		if s.has(b) && !k.absent[b][s.Points[1]] {
			return s.Points[1]
		}
	}
	return -1
}

// usable reports whether a benchmark can be measured at a point, as far as is known.
func (k *known) usable(b Benchmark, p int) bool {
	_, bad := k.bad[p]
	return !bad && !k.absent[b][p] && !k.absent[Benchmark{Package: b.Package}][p]
}

// benchmarks are those that any step compared or found absent, each once.
func (k *known) benchmarks() []Benchmark {
	var out []Benchmark
	for _, id := range k.ids {
		if !slices.Contains(out, id.Benchmark) {
			out = append(out, id.Benchmark)
		}
	}
	for b := range k.absent {
		if b.Name != "" && !slices.Contains(out, b) { // without a name it is the package
			out = append(out, b)
		}
	}
	slices.SortFunc(out, compareBenchmarks)
	return out
}
