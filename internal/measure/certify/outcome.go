package certify

import (
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/certificate"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// An outcome is what a comparison of a side of a case with the original came to.
type outcome struct {
	name      string // of the case
	side      int
	num, den  series.ID
	truth     float64 // the ratio
	undecided bool    // it had too few rounds for a look
	found     bool    // the interval excluded 1 at some look
	covered   bool    // the truth was inside at every look
	last      bool    // at the last look
	rounds    int     // until it was found
	seconds   float64
}

// comparisons are those of a batch, none of which was looked at.
func comparisons(p *plan.Plan) (out []outcome) {
	for _, c := range p.Cases {
		for _, side := range p.SidesOf(c.Study) {
			if side != original {
				out = append(out, outcome{name: c.Name, side: side, num: idOf(p, c, side), den: idOf(p, c, original),
					truth: truth(c.N, side), undecided: true, covered: true})
			}
		}
	}
	return out
}

func idOf(p *plan.Plan, c plan.Case, side int) series.ID {
	return series.ID{Study: studyName, Case: c.Name, Side: p.Sides[side].Name}
}

// judge looks at the comparisons of a batch at every planned look, as a run does. disturbed is the share of its rounds that met the rule for excluded ones.
func judge(p *plan.Plan, samples []*benchfmt.Result) (out []outcome, disturbed float64) {
	out = comparisons(p)
	set := series.New(p.GroupOf())
	spent := map[series.ID]float64{}
	for _, round := range byRound(samples) {
		for _, r := range round {
			set.Add(inTheNameOf(out, r))
			wall, _ := r.Value(series.UnitWall)
			spent[idOfSample(r)] += wall
		}
		data := &claim.Data{Set: set, Alpha: p.Options.Alpha, Looks: p.JudgedAt()} // of this look: it keeps what it works out
		for i := range out {
			out[i].look(data, spent[out[i].num]+spent[out[i].den])
		}
	}
	return out, set.DisturbedShare()
}

// look asks for the interval of the ratio as a run does, and notes what it says.
func (o *outcome) look(data *claim.Data, seconds float64) {
	num, den := data.Set.Get(o.num), data.Set.Get(o.den)
	if num == nil || den == nil || len(num.Rounds) < data.Looks.MinRounds(data.Alpha) {
		return
	}
	x := data.Ratio(num, den, "sec/op")
	if x.Doubt != "" { // a process crashed: nothing is said from here on
		*o = outcome{name: o.name, side: o.side, num: o.num, den: o.den, truth: o.truth, undecided: true, covered: true}
		return
	}
	if x.Rounds < data.Looks.MinRounds(data.Alpha) {
		return
	}
	o.undecided = false
	if x.Interval.Excludes(1) && !o.found {
		o.found, o.rounds, o.seconds = true, x.Rounds, seconds
	}
	o.last = x.Interval.Contains(o.truth)
	o.covered = o.covered && o.last
}

// byRound cuts samples, which stand in the order in which they were taken, into rounds.
func byRound(samples []*benchfmt.Result) [][]*benchfmt.Result {
	var out [][]*benchfmt.Result
	last := -1.0
	for _, r := range samples {
		round, _ := r.Value(series.UnitRound)
		if round != last || out == nil {
			out, last = append(out, nil), round
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

func idOfSample(r *benchfmt.Result) series.ID {
	return series.ID{Study: studyName, Case: string(r.Name),
		Side: series.SideName(r.GetConfig(series.KeyToolchain), r.GetConfig(series.KeySide))}
}

// inTheNameOf returns a sample with the figure that its side stands for: that of the original's
// number of iterations.
func inTheNameOf(all []outcome, r *benchfmt.Result) *benchfmt.Result {
	id := idOfSample(r)
	at := slices.IndexFunc(all, func(o outcome) bool { return o.num == id && o.side >= slower })
	if at < 0 {
		return r
	}
	r = r.Clone()
	r.Values = slices.Clone(r.Values)
	for i := range r.Values {
		if r.Values[i].Unit == "sec/op" {
			r.Values[i].Value *= all[at].truth
		}
	}
	return r
}

// Slowdowns are the known ones: 0.01 is 1%.
func Slowdowns() []float64 { return []float64{0.005, 0.01, 0.02, 0.05, 0.10} }

// The sides of the comparisons of a batch: an original, its identical copy, and a copy for
// each known slowdown.
const (
	original = 0
	copied   = 1
	slower   = 2 // and those after it
)

func sideName(side int) string {
	switch side {
	case original:
		return "original"
	case copied:
		return "copy"
	}
	return fmt.Sprintf("slower by %g%%", 100*Slowdowns()[side-slower])
}

// iterations returns how many iterations a side runs in the name of n.
func iterations(n int64, side int) int64 {
	if side < slower {
		return n
	}
	return int64(math.Round(float64(n) * (1 + Slowdowns()[side-slower])))
}

// truth returns the true ratio of a side to the original: exactly what its iterations are to
// the original's.
func truth(n int64, side int) float64 { return float64(iterations(n, side)) / float64(n) }

// A tally collects the outcomes of the batches.
type tally struct {
	batches []judgedBatch
	failed  int // samples without a result
}

// A judgedBatch is what a batch came to.
type judgedBatch struct {
	condition string
	outcomes  []outcome
	disturbed float64 // the share of its rounds that met the rule for excluded ones
}

// certificate returns what the outcomes amount to.
func (t *tally) certificate(a *Attempt, now time.Time) *certificate.Certificate {
	o := a.Options
	c := &certificate.Certificate{Format: certificate.Format, Method: a.Method, Tool: a.Tool,
		Made: now.UTC().Truncate(time.Second), Machine: a.Machine, Go: a.Go, Alpha: o.Alpha, Rounds: o.Rounds,
		Layouts: o.Layouts, Links: o.Links, Sample: o.Sample, Spent: a.Spent, Budget: o.Budget, Failed: t.failed}
	for _, name := range Conditions() {
		if u, ok := t.condition(name); ok {
			c.Under = append(c.Under, u)
		}
	}
	for _, x := range a.Cases {
		c.Cases = append(c.Cases, t.ofCase(x.Name))
	}
	c.Judge()
	return c
}

// condition sums up the batches under one condition; false when there are none.
func (t *tally) condition(name string) (u certificate.Condition, ok bool) {
	u.Name = name
	rounds, seconds := make([][]float64, len(Slowdowns())), make([][]float64, len(Slowdowns()))
	for _, by := range Slowdowns() {
		u.Known = append(u.Known, certificate.Slowdown{By: by})
	}
	batches := 0
	for _, b := range t.batches {
		if b.condition != name {
			continue
		}
		batches++
		u.Disturbed += b.disturbed
		for _, x := range b.outcomes {
			if x.side == copied {
				x.countCopy(&u.Count)
				continue
			}
			k := x.side - slower
			x.countKnown(&u.Known[k])
			if x.found {
				rounds[k], seconds[k] = append(rounds[k], float64(x.rounds)), append(seconds[k], x.seconds)
			}
		}
	}
	for k := range u.Known {
		if len(rounds[k]) > 0 {
			u.Known[k].Rounds, u.Known[k].Seconds = stat.Median(rounds[k]), stat.Median(seconds[k])
		}
	}
	u.Disturbed /= float64(max(batches, 1))
	return u, batches > 0
}

func (o outcome) countCopy(c *certificate.Count) {
	if o.undecided {
		c.Undecided++
		return
	}
	c.Comparisons++
	if o.found {
		c.Alarms++
	}
}

func (o outcome) countKnown(s *certificate.Slowdown) {
	if o.undecided {
		s.Undecided++
		return
	}
	s.Comparisons++
	for _, x := range []struct {
		is    bool
		count *int
	}{{o.found, &s.Found}, {o.covered, &s.Covered}, {o.last, &s.AtEnd}} {
		if x.is {
			*x.count++
		}
	}
}

// ofCase sums up one benchmark.
func (t *tally) ofCase(name string) certificate.Case {
	c := certificate.Case{Name: name}
	var known certificate.Slowdown
	for _, b := range t.batches {
		for _, x := range b.outcomes {
			switch {
			case x.name != name:
			case x.side == copied:
				x.countCopy(&c.Count)
			default:
				x.countKnown(&known)
			}
		}
	}
	c.Known, c.Covered = known.Comparisons, known.Covered
	return c
}
