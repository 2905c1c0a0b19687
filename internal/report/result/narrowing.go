package result

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// narrowings follows the ratios of the study's claim that covers most places, or
// else those of its tables.
func narrowings(st *language.Study, judged []*claim.Judged, alpha float64) []Narrowing {
	var out []Narrowing
	var work []func()
	for _, j := range judged {
		for _, p := range ratiosToFollow(st, j) {
			if len(out) == maxNarrowing {
				break
			}
			d, after := j.Rounds(p.Num, p.Den, "sec/op")
			if len(d) < stat.MinRounds(alpha) {
				continue
			}
			i := len(out)
			last := j.Ratio(p.Num, p.Den, "sec/op") // known by now
			label := p.Label
			if size, ok := strings.CutPrefix(label, "size="); ok {
				label = figures.Label("size", size)
			}
			out = append(out, Narrowing{Label: label, Side: j.Name, Points: [][3]figures.Drawn{}, Rests: restsOn(last)})
			work = append(work, func() { out[i].follow(len(d), after, alpha, last.Interval) })
		}
	}
	var wg sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, w := range work {
		limit <- struct{}{}
		wg.Go(func() { w(); <-limit })
	}
	wg.Wait()
	return out
}

// follow looks back at the interval after some of the rounds; end is the one
// after all of them.
func (x *Narrowing) follow(rounds int, after func(n int) stat.Interval, alpha float64, end stat.Interval) {
	least, upTo := stat.MinRounds(alpha), min(rounds-1, maxLook)
	last := 0
	for i := range lookPoints {
		n := int(math.Round(float64(least) * math.Pow(float64(upTo)/float64(least), float64(i)/(lookPoints-1))))
		if n == last || n > upTo {
			continue
		}
		last = n
		iv := after(n)
		if !iv.IsEmpty() {
			x.add(n, math.Exp(iv.Lo), math.Exp(iv.Hi))
		}
	}
	if !end.IsEmpty() {
		x.add(rounds, end.Lo, end.Hi)
	}
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
