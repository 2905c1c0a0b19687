package result

import (
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
)

func cases(j *claim.Judged, o Options) []Case {
	d := j.Data
	changes := map[string]claim.Change{}
	for _, x := range j.Changes {
		changes[x.Case] = x
	}
	var out []Case
	for _, s := range d.Cases {
		time := d.Estimate(s, "sec/op")
		c := Case{Name: s.Case, Side: d.Name, Time: figure(time, "sec/op"), Rests: restsOn(time),
			Iterations: s.Result.Iters,
			Invalid:    d.Invalid[s.Case], Metrics: metrics(s), Times: positive(d.Set.Valid(s, "sec/op"))}
		for _, unit := range []string{series.UnitRound, series.UnitOrder, series.UnitLayout, series.UnitPadding, series.UnitLink} {
			delete(c.Metrics, unit) // a mean of them means nothing
		}
		if o.Samples {
			c.Samples = samplesOf(s, func(unit string) []float64 { return d.Set.Valid(s, unit) })
		}
		c.Flags = append(c.Flags, d.Flags[s.Case]...)
		if n := len(s.Failures); n > 0 {
			c.Flags = append(c.Flags, units.Plural(n, "sample")+" failed: "+s.Failures[n-1].Reason)
		}
		if x, ok := changes[s.Case]; ok {
			c.VsFirst = &Comparison{figure(x.Estimate, ""), x.Difference, x.Discovery, restsOn(x.Estimate)}
		}
		out = append(out, c)
	}
	return out
}

// metrics returns the means of what else a case's samples hold.
func metrics(s *series.Series) map[string]figures.Number {
	out := map[string]figures.Number{}
	for _, unit := range s.Units() {
		if unit != "sec/op" {
			out[unit] = figures.Number(s.MeanOf(unit))
		}
	}
	for unit, t := range s.Totals {
		out[unit] = figures.Number(t.Mean())
	}
	return out
}

// samplesOf returns the figures of a benchmark's samples beside its time: those that are numbers.
func samplesOf(s *series.Series, values func(unit string) []float64) map[string][]float64 {
	out := map[string][]float64{}
	for _, unit := range s.Units() {
		if unit == "sec/op" || series.Own(unit) {
			continue
		}
		out[unit] = slices.DeleteFunc(slices.Clone(values(unit)), func(v float64) bool {
			return math.IsNaN(v) || math.IsInf(v, 0)
		})
	}
	return out
}

// positive returns the figures that can be times. It makes use of vs.
func positive(vs []float64) []float64 {
	return slices.DeleteFunc(vs, func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
}

// failedCases returns those that never gave a result on this side.
func failedCases(d *claim.Data, set *series.Set, study string) []Case {
	var out []Case
	for _, s := range set.All() {
		if s.Study == study && s.Side == d.Name && s.Role == "" && len(s.Rounds) == 0 && len(s.Failures) > 0 {
			c := Case{Name: s.Case, Side: d.Name, Time: figures.NoFigure(), Failed: s.Failures[len(s.Failures)-1].Reason}
			if why, ok := strings.CutPrefix(c.Failed, Invalid+": "); ok { // the program itself says so
				c.Failed, c.Invalid = "", []string{why}
			}
			out = append(out, c)
		}
	}
	return out
}
