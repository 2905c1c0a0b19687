package result

import (
	"fmt"
	"math"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
)

// Took is what a run took: how long its processes ran, and their benchmark loops, in seconds.
type Took struct {
	LoopShare figures.Number `json:"loop_share"` // LoopSec over WallSec; null where no time is known
	LoopSec   figures.Number `json:"loop_sec"`
	WallSec   figures.Number `json:"wall_sec"`
}

func took(all ...*series.Series) (t Took) {
	for _, s := range all {
		t.LoopSec += figures.Number(s.Loop)
		t.WallSec += figures.Number(s.Wall)
	}
	t.LoopShare = t.LoopSec / t.WallSec
	return t
}

// RoundsSay says how many rounds a run has, and from how many to how many a case has: what is
// decided is not measured again.
func (a *Answer) RoundsSay() string {
	say := units.Plural(a.Rounds, "round")
	if a.Least > 0 && a.Least < a.Rounds {
		say += fmt.Sprintf(", from %d up for a case", a.Least)
	}
	return say
}

// LoopTime says how much of the run time was measured: "95.1%"; of several studies also where
// starting the processes took most: "80.2%, least in malloc: 61.0%".
func (a *Answer) LoopTime() string {
	say := units.Percent(float64(a.LoopShare))
	var least *Study
	for i := range a.Studies {
		if s := &a.Studies[i]; s.LoopShare > 0 && (least == nil || s.LoopShare < least.LoopShare) {
			least = s
		}
	}
	if least == nil || len(a.Studies) < 2 {
		return say
	}
	return fmt.Sprintf("%s, least in %s: %s", say, least.Name, units.Percent(float64(least.LoopShare)))
}

// NoiseSays is what a noise floor is a ratio of, and what it means.
const NoiseSays = "second copy/first copy of the same code: the true ratio is 1, a smaller difference is noise"

// Sentence says how far two copies of a case were apart; NoiseSays says which ratio it is.
func (n Noise) Sentence() string {
	say := fmt.Sprintf("%s: %s, %s apart in the median round", n.Case, n.Ratio,
		units.Percent(math.Expm1(float64(n.Spread))))
	if n.Alarm {
		say += "; a false alarm, for the interval excludes 1"
	}
	return say
}
