package result

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
)

// Resting says, of all ratios and costs that a claim rests on, of how many the rounds depend on each
// other, the links matter, or samples crashed; "" if none.
func (a *Answer) Resting() string {
	all, dependent, links, crashed, most, share := 0, 0, 0, 0, 0.0, 0.0
	for _, s := range a.Studies {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				for _, e := range v.Elements {
					x := e.Rests
					if x == nil {
						continue
					}
					all++
					if x.Dependent() {
						dependent, most = dependent+1, max(most, float64(x.AsOne))
					}
					if x.Linked() {
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

// count counts what stands when everything is counted together.
func (a *Answer) count() {
	var x Together
	for _, s := range a.Studies {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				if v.Published || !v.Counted {
					continue
				}
				x.All++
				if v.Status.Decided() {
					x.Verdicts++
					if v.Selected {
						x.Stand++
					}
				}
			}
		}
		for _, c := range s.Cases {
			if c.VsFirst != nil {
				x.All++
			}
		}
	}
	if x.All > 0 {
		a.Together = &x
	}
}
