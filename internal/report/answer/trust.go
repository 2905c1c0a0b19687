package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// trust says how far a run can be relied on.
func trust(a *result.Answer, subjects []subject, tally Tally) Trust {
	t := Trust{Processes: a.Samples, Rounds: a.Rounds, Amber: a.Busy, Certificate: a.CertificateSays, Says: verdictOn(a),
		Warnings: append([]string{}, a.Warnings...), Noise: noise(a.NoiseFloor), Together: a.Together.String()}
	if decided := tally.Hold + tally.Fail; t.Together != "" && len(a.Sides) == 1 && decided > a.Together.Verdicts {
		t.Together = fmt.Sprintf("Of %s that hold or fail here %d rest on an interval, the others on exact counts. ",
			units.Plural(decided, "claim"), a.Together.Verdicts) + t.Together
	}
	switch {
	case a.Kind == result.File:
		t.Excluded = "a file has no rounds: what else the machine did is not known, and nothing is advised"
	case len(a.Voids) > 0:
		t.Excluded = a.Excluded()
	}
	for _, s := range subjects {
		if s.run != 0 {
			continue
		}
		for _, p := range s.Problems() {
			if p.Kind == result.Invalid || p.Kind == result.Failed {
				t.Invalid++
				t.InvalidSays = s.Name + " " + p.Case + ": " + p.Why
			}
		}
	}
	if t.Invalid > 1 {
		t.InvalidSays = ""
	}
	return t
}

// verdictOn says in a sentence how far the machine can be trusted: whether it was quiet, and by how
// much two copies of the same code differed at most, by their intervals. A machine that was busy is
// said to be so elsewhere.
func verdictOn(a *result.Answer) string {
	most, open := 1.0, false
	for _, n := range a.NoiseFloor {
		if n.Ratio.Known() {
			lo, hi := float64(n.Ratio.Lo), float64(n.Ratio.Hi)
			if open = open || !n.Ratio.Bounded(); !n.Ratio.Bounded() {
				lo, hi = float64(n.Ratio.Value), float64(n.Ratio.Value)
			}
			most = max(most, 1/lo, hi)
		}
	}
	quiet := "The machine was quiet"
	switch {
	case a.Kind != result.Run || a.Samples == 0:
		return ""
	case slices.ContainsFunc(a.Voids, func(v series.Void) bool { return v.Excluded }):
		quiet = "The machine was quiet most of the time"
	}
	copies := ""
	switch {
	case len(a.NoiseFloor) == 0:
	case open:
		copies = fmt.Sprintf("two copies of the same code differed by %s×, in too few rounds for an interval",
			units.Brief(most, ""))
	default:
		copies = fmt.Sprintf("two copies of the same code differed by up to %s×", units.Brief(most, ""))
	}
	switch {
	case a.Busy == "" && copies == "":
		return quiet + "."
	case a.Busy == "":
		return quiet + "; " + copies + "."
	case copies == "":
		return ""
	}
	return figures.Upper(copies) + "."
}

// noise says how far the figures of a binary and its copy lie apart, in each case that was
// measured twice.
func noise(floor []result.Noise) string {
	var each []string
	for _, n := range floor {
		if v := float64(n.Ratio.Value); !math.IsNaN(v) {
			ratio, ends := units.BriefWith(v, float64(n.Ratio.Lo), float64(n.Ratio.Hi), "")
			each = append(each, ratio+"× "+cmp.Or(ends, unbounded))
		}
	}
	if len(each) == 0 {
		return ""
	}
	return "noise: the same code against its own copy " + strings.Join(each, " and ")
}
