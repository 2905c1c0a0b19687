package certify

import (
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// An outcome is what a comparison came to.
type outcome struct {
	name      string // of the case
	arm       int    // of the side that is compared with the original
	undecided bool   // it had too few rounds for a look
	found     bool   // the interval excluded 1 at some look
	covered   bool   // the truth was inside at every look
	last      bool   // at the last look
	rounds    int    // until it was found
	seconds   float64
}

// A comparison is two sides of a batch.
type comparison struct {
	at, arm  int // case and side
	num, den series.ID
	truth    float64
}

func comparisons(p *plan.Plan) []comparison {
	var out []comparison
	for i, c := range p.Cases {
		for _, arm := range p.ArmsOf(c.Suite) {
			if arm == original {
				continue
			}
			out = append(out, comparison{i, arm, idOf(p, c, arm), idOf(p, c, original), truth(c.N, arm)})
		}
	}
	return out
}

func idOf(p *plan.Plan, c plan.Case, arm int) series.ID {
	return series.ID{Suite: suiteName, Case: c.Name, Arm: p.Arms[arm].Name}
}

// judge looks at the comparisons of a batch after every round from the first possible one on,
// as a run does. disturbed is the share of its rounds that met the rule for excluded ones.
func judge(p *plan.Plan, samples []*benchfmt.Result) (out []outcome, disturbed float64) {
	all := comparisons(p)
	out = make([]outcome, len(all))
	for i, c := range all {
		out[i] = outcome{name: p.Cases[c.at].Name, arm: c.arm, undecided: true, covered: true}
	}
	set := series.New(p.GroupOf())
	spent := map[series.ID]float64{}
	for _, round := range byRound(samples) {
		for _, r := range round {
			set.Add(inTheNameOf(p, r))
			wall, _ := r.Value(series.UnitWall)
			spent[idOfSample(r)] += wall
		}
		data := &claim.Data{Set: set, Alpha: p.Options.Alpha} // of this look: it keeps what it works out
		for i, c := range all {
			out[i].look(data, c, spent[c.num]+spent[c.den])
		}
	}
	return out, set.DisturbedShare()
}

// look asks for the interval of the ratio as a run does, and notes what it says.
func (o *outcome) look(data *claim.Data, c comparison, seconds float64) {
	num, den := data.Set.Get(c.num), data.Set.Get(c.den)
	if num == nil || den == nil || len(num.Rounds) < stat.MinRounds(data.Alpha) {
		return
	}
	x := data.Ratio(num, den, "sec/op")
	if x.Doubt != "" { // a process crashed: nothing is said from here on
		*o = outcome{name: o.name, arm: o.arm, undecided: true, covered: true}
		return
	}
	if x.Rounds < stat.MinRounds(data.Alpha) {
		return
	}
	o.undecided = false
	if x.Interval.Excludes(1) && !o.found {
		o.found, o.rounds, o.seconds = true, x.Rounds, seconds
	}
	o.last = x.Interval.Contains(c.truth)
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
	return series.ID{Suite: suiteName, Case: string(r.Name),
		Arm: series.ArmName(r.GetConfig(series.KeyToolchain), r.GetConfig(series.KeyArm))}
}

// inTheNameOf returns a sample with the figure that its side stands for: that of the original's
// number of iterations.
func inTheNameOf(p *plan.Plan, r *benchfmt.Result) *benchfmt.Result {
	id := idOfSample(r)
	for _, c := range p.Cases {
		for arm := range p.Arms {
			if arm < slower || c.Name != id.Case || idOf(p, c, arm) != id {
				continue
			}
			r = r.Clone()
			r.Values = slices.Clone(r.Values)
			for i := range r.Values {
				if r.Values[i].Unit == "sec/op" {
					r.Values[i].Value *= truth(c.N, arm)
				}
			}
			return r
		}
	}
	return r
}
