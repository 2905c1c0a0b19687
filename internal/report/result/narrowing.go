package result

import (
	"math"
	"slices"
	"strings"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// narrowings follows the ratios of the study's claim that covers most places, or
// else those of its tables.
func narrowings(st *language.Study, judged []*claim.Judged) []Narrowing {
	var out []Narrowing
	for _, j := range judged {
		for _, p := range ratiosToFollow(st, j) {
			if len(out) == maxNarrowing {
				break
			}
			_, looks, at := j.Rounds(p.Num, p.Den, "sec/op")
			if len(looks) == 0 {
				continue
			}
			i := len(out)
			last := j.Ratio(p.Num, p.Den, "sec/op") // known by now
			label := p.Label
			if size, ok := strings.CutPrefix(label, "size="); ok {
				label = figures.Label("size", size)
			}
			out = append(out, Narrowing{Label: label, Side: j.Name, Points: [][3]figures.Drawn{}, Rests: restsOn(last)})
			for _, n := range looks {
				if iv := at(n); !iv.IsEmpty() {
					out[i].add(n, math.Exp(iv.Lo), math.Exp(iv.Hi))
				}
			}
		}
	}
	return out
}

func (x *Narrowing) add(round int, lo, hi float64) {
	if lo > 0 && !math.IsInf(hi, 1) {
		x.Points = append(x.Points, [3]figures.Drawn{figures.Drawn(round), figures.Drawn(lo), figures.Drawn(hi)})
	}
}

func ratiosToFollow(st *language.Study, j *claim.Judged) []claim.Pair {
	best := -1
	for i, c := range st.Claims {
		if c.Kind == language.Ratio && (best < 0 || len(j.Verdicts[i].Elements) > len(j.Verdicts[best].Elements)) {
			best = i
		}
	}
	var out []claim.Pair
	if best >= 0 {
		for _, e := range j.Verdicts[best].Elements {
			if len(e.Cases) == 2 {
				out = append(out, claim.Pair{Label: e.Label, Num: j.Find(e.Cases[0]), Den: j.Find(e.Cases[1])})
			}
		}
		return slices.DeleteFunc(out, func(p claim.Pair) bool { return p.Num == nil || p.Den == nil })
	}
	return claim.RatioPairs(st, j.Cases)
}
