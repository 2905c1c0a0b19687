package answer

import (
	"cmp"
	"math"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/result"
)

// trust says how far a run can be relied on.
func trust(a *result.Answer, subjects []subject) Trust {
	t := Trust{Processes: a.Samples, Rounds: a.Rounds, Amber: a.Busy, Certificate: a.CertificateSays,
		Warnings: append([]string{}, a.Warnings...), Noise: noise(a.NoiseFloor), Together: a.Together.String()}
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

// noise says how far the figures of a binary and its copy lie apart, in each case that was
// measured twice.
func noise(floor []result.Noise) string {
	var each []string
	for _, n := range floor {
		if v := float64(n.Ratio.Value); !math.IsNaN(v) {
			ends := units.BriefEnds(v, float64(n.Ratio.Lo), float64(n.Ratio.Hi), "")
			each = append(each, units.Brief(v, "")+"× "+cmp.Or(ends, unbounded))
		}
	}
	if len(each) == 0 {
		return ""
	}
	return "noise: the same code against its own copy " + strings.Join(each, " and ")
}
