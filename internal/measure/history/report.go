package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/figures"
)

// Format is the version of the JSON form of a Report.
const Format = 1

// Kinds of points.
const (
	Commits  = "commits"
	Releases = "releases"
)

// A Report is what a search has to say.
type Report struct {
	Format int      `json:"format"`
	Kind   string   `json:"kind"` // Commits or Releases
	Label  string   `json:"label,omitempty"`
	Alpha  float64  `json:"alpha"`
	Margin float64  `json:"margin"`
	Points []State  `json:"points"`
	Series []Series `json:"series"`
	Steps  int      `json:"steps"`
	Built  int      `json:"built"` // points
	Left   int      `json:"steps_left"`
	// Stretch is the number of points in a stretch of the grid: changes that cancel each other
	// within one are not found.
	Stretch int `json:"stretch"`
}

// Nothing says that there is no change, and what of it is not known.
func (r *Report) Nothing() string {
	undecided := 0
	for _, x := range r.Series {
		if len(x.Undecided) > 0 {
			undecided++
		}
	}
	if undecided == 0 {
		return "No change was found."
	}
	return fmt.Sprintf("No change is known: %d of %s undecided.", undecided,
		units.Plural(len(r.Series), "figure")+map[bool]string{true: " is", false: " are"}[len(r.Series) == 1])
}

// A State is what became of a point.
type State struct {
	Point
	Measured bool   `json:"measured"`
	Failed   string `json:"failed,omitempty"` // why it could not be built or run
}

// A Series is a metric of a benchmark through history. Points are indices into Report.Points.
type Series struct {
	ID
	Changes   []Change  `json:"changes"`
	Undecided []Stretch `json:"undecided"`
	Levels    []Level   `json:"levels"`
}

// A Stretch is what lies behind one point and not later than another.
type Stretch struct {
	From  int            `json:"from"`
	To    int            `json:"to"`
	Ratio figures.Figure `json:"ratio"` // To over From
}

// A Change is one that lies in a stretch.
type Change struct {
	Stretch
	// Why says why the stretch is not shorter: "" where To alone can have made the change, else
	// Unbuildable, Spread, Unresolved or Unfinished.
	Why string `json:"why,omitempty"`
}

// Why a change is not known to be of one point.
const (
	Unbuildable = "unbuildable" // the points between could not be measured
	Spread      = "spread"      // neither half differs by more than the margin
	Unresolved  = "undecided"   // neither half is decided
	Unfinished  = "unfinished"  // there are steps left
)

// A Level is the cost at a point as a multiple of that at the first.
type Level struct {
	At   int            `json:"point"`
	Cost figures.Figure `json:"cost"`
	// Apart reports that the point could not be compared with the one before it: Cost begins with 1 again.
	Apart bool `json:"apart,omitempty"`
}

// Report returns what the steps say.
func (s Search) Report(points []Point, steps []Step) *Report {
	k := learn(steps)
	grid := s.grid(k)
	out := &Report{Format: Format, Points: make([]State, len(points)), Series: []Series{}, Built: len(k.built),
		Left: s.Left(steps)}
	for _, step := range steps {
		if step.Done {
			out.Steps++
		}
	}
	for i := 1; i < len(grid); i++ {
		out.Stretch = max(out.Stretch, grid[i]-grid[i-1])
	}
	for i, p := range points {
		out.Points[i] = State{p, k.built[i], k.bad[i]}
	}
	for _, id := range k.ids {
		x := Series{ID: id, Changes: []Change{}, Undecided: []Stretch{}, Levels: []Level{}}
		for _, pair := range k.pairs(id.Benchmark, grid) {
			k.conclude(&x, pair[0], pair[1])
		}
		k.levels(&x, grid)
		out.Series = append(out.Series, x)
	}
	return out
}

// conclude adds what is known of the stretch between two points, and reports whether a change
// or a part that is undecided was found in it.
func (k *known) conclude(x *Series, p, q int) (changed, undecided bool) {
	c, ok := k.direct[x.ID][[2]int{p, q}]
	if !ok {
		return false, false
	}
	here := Stretch{p, q, c.Ratio}
	if c.Verdict == Undecided {
		x.Undecided = append(x.Undecided, here)
		return false, true
	}
	if c.Verdict != Changed {
		return false, false
	}
	m := k.split(x.Benchmark, p, q)
	if m < 0 {
		x.Changes = append(x.Changes, Change{here, k.why(x.Benchmark, p, q)})
		return true, false
	}
	sofar := len(x.Undecided)
	left, u1 := k.conclude(x, p, m)
	right, u2 := k.conclude(x, m, q)
	if left || right {
		return true, false
	}
	x.Undecided = x.Undecided[:sofar] // it is the same change
	why := Spread
	if u1 || u2 {
		why = Unresolved
	}
	x.Changes = append(x.Changes, Change{here, why})
	return true, false
}

// why says why a stretch that was not split is not shorter.
func (k *known) why(b Benchmark, p, q int) string {
	switch {
	case q-p == 1:
		return ""
	case k.middle(b, p, q) < 0:
		return Unbuildable
	}
	return Unfinished
}

// levels chains the ratios of neighbours.
func (k *known) levels(x *Series, grid []int) {
	var pairs [][2]int
	for _, pair := range k.pairs(x.Benchmark, grid) {
		pairs = append(pairs, k.leaves(x.ID, pair[0], pair[1])...)
	}
	one := figures.Figure{Value: 1, Lo: 1, Hi: 1, Medians: 1}
	last, width := one, 0.0 // of ln cost, the half-widths' squares added up
	for _, pair := range pairs {
		if n := len(x.Levels); n == 0 || x.Levels[n-1].At != pair[0] {
			x.Levels = append(x.Levels, Level{At: pair[0], Cost: one, Apart: n > 0})
			last, width = one, 0
		}
		c, ok := k.direct[x.ID][pair]
		if !ok || !(c.Ratio.Value > 0) || math.IsInf(float64(c.Ratio.Value), 0) {
			x.Levels = append(x.Levels, Level{At: pair[1], Cost: one, Apart: true})
			last, width = one, 0
			continue
		}
		half := math.Log(float64(c.Ratio.Hi/c.Ratio.Lo)) / 2
		width += half * half
		v := float64(last.Value * c.Ratio.Value)
		last = figures.Figure{Value: figures.Number(v), Lo: figures.Number(v * math.Exp(-math.Sqrt(width))),
			Hi: figures.Number(v * math.Exp(math.Sqrt(width))), N: c.Ratio.N,
			Medians: last.Medians * c.Ratio.Medians}
		x.Levels = append(x.Levels, Level{At: pair[1], Cost: last})
	}
}

// leaves are the neighbours between two points that were compared, in order.
func (k *known) leaves(id ID, p, q int) [][2]int {
	m := k.split(id.Benchmark, p, q)
	if m < 0 {
		return [][2]int{{p, q}}
	}
	for _, half := range [][2]int{{p, m}, {m, q}} {
		if _, ok := k.direct[id][half]; !ok {
			return [][2]int{{p, q}}
		}
	}
	return slices.Concat(k.leaves(id, p, m), k.leaves(id, m, q))
}

// Sentence says what a change is and where it lies: "commit abc1234 (faster maps,
// 2026-11-02): Decode takes 1.31× [1.2, 1.4] as long from there on".
func (r *Report) Sentence(x *Series, c Change) string {
	return r.Where(c.Stretch, c.Why) + ": " + r.Does(x, c)
}

// Does says what a change does: "Decode takes 1.31× [1.2, 1.4] as long from there on".
func (r *Report) Does(x *Series, c Change) string {
	return x.Name + " " + x.Effect(c.Stretch) + " from there on" + r.because(c)
}

// Where names the point that made a change, or those among which it is.
func (r *Report) Where(s Stretch, why string) string {
	if why == "" {
		return r.Full(s.To)
	}
	return fmt.Sprintf("one of the %d %s after %s up to %s", s.To-s.From, r.Kind, r.Points[s.From].Name,
		r.Points[s.To].Name)
}

// Full names a point with its subject and date.
func (r *Report) Full(at int) string {
	p := r.Points[at]
	if r.Kind == Releases || p.Source == nil {
		return p.Name
	}
	what := "commit "
	if p.Merge {
		what = "merge commit "
	}
	return fmt.Sprintf("%s%s (%s, %s)", what, p.Name, p.Source.Subject, p.Source.Date.Format("2006-01-02"))
}

// Effect says what a stretch does to the metric: "takes 1.31× [1.2, 1.4] as long".
func (x *Series) Effect(s Stretch) string {
	v := float64(s.Ratio.Value)
	times := s.Ratio.String()
	switch {
	case math.IsInf(v, 1) || math.IsNaN(v):
		return "has " + x.Unit + " that it did not have"
	case v == 0:
		return "has no " + x.Unit + " any more"
	}
	switch x.Unit {
	case "sec/op":
		return "takes " + times + " as long"
	case "B/op":
		return "allocates " + times + " as many bytes"
	case "allocs/op":
		return "makes " + times + " as many allocations"
	}
	return "has " + times + " the " + x.Unit
}

// because explains why a change is not known to be of one point.
func (r *Report) because(c Change) string {
	switch c.Why {
	case Unbuildable:
		var names []string
		for i := c.From + 1; i < c.To && len(names) < 5; i++ {
			names = append(names, r.Points[i].Name)
		}
		more := ""
		if n := c.To - c.From - 1 - len(names); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		return fmt.Sprintf(" (%s%s could not be measured)", strings.Join(names, ", "), more)
	case Spread:
		return fmt.Sprintf(" (neither half of them alone makes a difference of more than %s)",
			units.Share(r.Margin))
	case Unresolved:
		return " (which of them is undecided in the budget of a step)"
	case Unfinished:
		return " (the search was not finished)"
	}
	return ""
}

// Missed says what the search cannot have found.
func (r *Report) Missed() string {
	say := fmt.Sprintf("not found are changes of less than %s", units.Share(r.Margin))
	if r.Stretch > 1 {
		say += fmt.Sprintf(", and changes that cancel each other within %d %s", r.Stretch, r.Kind)
	}
	return say
}

// A Found is a change with the metric that it is of.
type Found struct {
	Series *Series
	Change Change
}

// Changes returns all changes in the order of time, at one point the largest first.
func (r *Report) Changes() []Found {
	var out []Found
	for i := range r.Series {
		for _, c := range r.Series[i].Changes {
			out = append(out, Found{&r.Series[i], c})
		}
	}
	size := func(f Found) float64 { return sizeOf(Comparison{Ratio: f.Change.Ratio}) }
	slices.SortStableFunc(out, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Change.To, b.Change.To), cmp.Compare(a.Change.From, b.Change.From),
			cmp.Compare(size(b), size(a)))
	})
	return out
}

// Between says where a stretch lies: "from abc1234 to def5678".
func (r *Report) Between(s Stretch) string {
	return fmt.Sprintf("from %s to %s", r.Points[s.From].Name, r.Points[s.To].Name)
}
