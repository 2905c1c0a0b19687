package answer

import (
	"math"

	"memcost/internal/result"
	"memcost/internal/units"
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
			}
		}
	}
	return t
}

// noise says how far the figures of a binary and its copy lie apart.
func noise(floor []result.Noise) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	least, most := lo, hi
	for _, n := range floor {
		if v := float64(n.Ratio.Value); !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
			least, most = min(least, float64(n.Ratio.Lo)), max(most, float64(n.Ratio.Hi))
		}
	}
	if lo > hi {
		return ""
	}
	say := "noise: a binary over its own copy " + units.Digits(lo)
	if units.Digits(lo) != units.Digits(hi) {
		say += "–" + units.Digits(hi)
	}
	if ends := units.BriefEnds(lo, least, most, ""); ends != "" {
		return say + "× " + ends
	}
	return say + "× " + unbounded
}
