package result

import (
	"fmt"
	"math"
	"strings"

	"memcost/internal/claim"
	"memcost/internal/evidence"
	"memcost/internal/units"
)

// Rests says what an interval rests on, beside the number of its rounds.
type Rests struct {
	Lag1  Number `json:"lag1"`          // autocorrelation of a round with the next
	AsOne Number `json:"rounds_as_one"` // rounds that tell as much as one independent round
	Links int    `json:"links"`         // 0: not known
	Share Number `json:"links_share"`   // of the variance that lies between links
	P     Number `json:"links_p"`       // of there being no such share
	// Crashed counts the samples, of Samples, that gave no result although others did.
	Crashed int `json:"crashed"`
	Samples int `json:"samples"`
}

func restsOn(e claim.Estimate) *Rests {
	if e.Rounds == 0 || math.IsNaN(e.Lag1) && e.Layouts == 0 && e.Crashed == 0 {
		return nil
	}
	return &Rests{Number(e.Lag1), Number(e.Tau), e.Layouts, Number(e.LayoutShare), Number(e.LayoutP), e.Crashed, e.Samples}
}

func (x *Rests) estimate() claim.Estimate {
	if x == nil {
		return claim.Estimate{}
	}
	return claim.Estimate{Lag1: float64(x.Lag1), Tau: float64(x.AsOne), Layouts: x.Links, LayoutShare: float64(x.Share),
		LayoutP: float64(x.P),
		Crashed: x.Crashed, Samples: x.Samples}
}

// String returns what makes the interval wide, or its figure doubtful; "" if nothing does.
func (x *Rests) String() string { return evidence.Rests(x.estimate()) }

// Resting says, of all ratios and costs that a claim rests on, of how many the rounds depend on each
// other, the links matter, or samples crashed; "" if none.
func (a *Answer) Resting() string {
	all, dependent, links, crashed, most, share := 0, 0, 0, 0, 0.0, 0.0
	for _, s := range a.Suites {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				for _, e := range v.Elements {
					x := e.Rests
					if x == nil {
						continue
					}
					all++
					if evidence.Dependent(x.estimate()) {
						dependent, most = dependent+1, max(most, float64(x.AsOne))
					}
					if evidence.Linked(x.estimate()) {
						links, share = links+1, max(share, float64(x.Share))
					}
					if x.Crashed > 0 {
						crashed++
					}
				}
			}
		}
	}
	var say []string
	if dependent > 0 {
		say = append(say, fmt.Sprintf("the rounds of %d depend on each other (up to %s count as one)", dependent,
			units.Digits(most)))
	}
	if links > 0 {
		say = append(say, fmt.Sprintf("the links of %d explain more than a tenth of the variance (up to %.0f%%)", links,
			100*share))
	}
	if crashed > 0 {
		say = append(say, fmt.Sprintf("samples of %d crashed or timed out", crashed))
	}
	if len(say) == 0 {
		return ""
	}
	return "of " + units.Plural(all, "figure") + " of claims " + strings.Join(say, ", ")
}
