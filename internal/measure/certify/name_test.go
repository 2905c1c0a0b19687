package certify

import (
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// A sample is counted for the side that took it: what sample writes of a configuration leads back
// to it.
func TestSamplesAreTheirSides(t *testing.T) {
	a := &Attempt{Go: "go1.26.8", Options: Fit(QuickBudget, 1), Cases: []plan.Case{{Name: "Copy-2"}},
		Batches: []Batch{{Condition: "quiet", Known: []int{0}}}}
	p := a.plan(0)
	for side, x := range p.Sides {
		r := &benchfmt.Result{Name: benchfmt.Name("Copy-2")}
		r.SetConfig(series.ToolchainKey(x.Name, x.Toolchain), x.Toolchain)
		r.SetConfig(series.KeySide, series.SideSetting(x.Name, x.Toolchain))
		if got, want := idOfSample(r), idOf(p, p.Cases[0], side); got != want {
			t.Errorf("side %q: its samples are of %+v, and are looked for as %+v", x.Name, got, want)
		}
		set := series.New(p.GroupOf())
		r.SetConfig(series.KeyStudy, studyName)
		r.Values = []benchfmt.Value{{Value: 1, Unit: "sec/op"}, {Value: 0, Unit: series.UnitRound}}
		set.Add(r)
		if set.Get(idOf(p, p.Cases[0], side)) == nil {
			t.Errorf("side %q: a set of its samples does not find it", x.Name)
		}
	}
}
