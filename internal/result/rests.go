package result

import (
	"fmt"
	"math"
	"strings"

	"memcost/internal/claim"
	"memcost/internal/units"
)

// Rests says what an interval rests on, beside the number of its rounds.
type Rests struct {
	Lag1  Number `json:"lag1"`          // autocorrelation of a round with the next
	AsOne Number `json:"rounds_as_one"` // rounds that tell as much as one independent round
	Links int    `json:"links"`         // 0: not known
	Share Number `json:"links_share"`   // of the variance that lies between links
	// Crashed counts the samples, of Samples, that gave no result although others did.
	Crashed int `json:"crashed"`
	Samples int `json:"samples"`
}

// From here on what an interval rests on is worth a word.
const (
	manyAsOne  = 1.5
	largeShare = 0.1
)

func restsOn(e claim.Estimate) *Rests {
	if e.Rounds == 0 || math.IsNaN(e.Lag1) && e.Layouts == 0 && e.Crashed == 0 {
		return nil
	}
	return &Rests{Number(e.Lag1), Number(e.Tau), e.Layouts, Number(e.LayoutShare), e.Crashed, e.Samples}
}

// String returns what makes the interval wide or its figure doubtful: "rounds depend on each other
// (lag-1 0.42): 3 count as one; links explain 31% of the variance: 4 links"; "" if nothing does.
func (x *Rests) String() string {
	if x == nil {
		return ""
	}
	var say []string
	if x.AsOne >= manyAsOne {
		say = append(say, fmt.Sprintf("rounds depend on each other (lag-1 %.2f): %s count as one", float64(x.Lag1),
			units.Digits(float64(x.AsOne))))
	}
	if x.Share >= largeShare {
		say = append(say, fmt.Sprintf("links explain %.0f%% of the variance: %s", 100*float64(x.Share),
			units.Plural(x.Links, "link")))
	}
	if x.Crashed > 0 {
		say = append(say, fmt.Sprintf("%d of %s crashed or timed out", x.Crashed, units.Plural(x.Samples, "sample")))
	}
	return strings.Join(say, "; ")
}

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
					if x.AsOne >= manyAsOne {
						dependent, most = dependent+1, max(most, float64(x.AsOne))
					}
					if x.Share >= largeShare {
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
