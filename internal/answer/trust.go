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
	if len(a.Voids) > 0 {
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
	for _, n := range floor {
		if v := float64(n.Ratio.Value); !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return ""
	}
	from, to := units.Digits(lo), units.Digits(hi)
	if from == to {
		return "a binary against its own copy " + from + "×"
	}
	return "a binary against its own copy " + from + "–" + to + "×"
}
