package result

import (
	"cmp"
	"math"
	"slices"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
)

// strips returns the processes of each case; of many cases, those of the cases
// that scatter most.
func strips(set *series.Set, cases []*series.Series) (out []Strip, left int) {
	type scattered struct {
		Strip
		spread float64
	}
	all := make([]scattered, 0, len(cases))
	for _, c := range cases {
		vs := slices.DeleteFunc(set.Valid(c, "sec/op"), func(v float64) bool { return !(v > 0) })
		if len(vs) < 2 {
			continue
		}
		slices.Sort(vs)
		m := stat.Median(vs)
		s := Strip{Case: c.Case, Side: c.Side, Median: figures.Drawn(m), N: len(vs)}
		if low, centres, ok := stat.TwoGroups(logs(vs)); ok {
			s.Low = low
			s.Groups = []figures.Drawn{figures.Drawn(math.Exp(centres[0]) / m), figures.Drawn(math.Exp(centres[1]) / m)}
		}
		n := min(len(vs), maxDots)
		for i := range n {
			at := i
			if n < len(vs) {
				at = int(math.Round(float64(i) * float64(len(vs)-1) / float64(n-1)))
			}
			if x := vs[at] / m; drawable(x) {
				s.Ratios = append(s.Ratios, figures.Drawn(x))
			}
		}
		if len(s.Ratios) == 0 {
			continue
		}
		all = append(all, scattered{s, math.Log(float64(sortedQuantile(vs, 0.9) / sortedQuantile(vs, 0.1)))})
	}
	keep := map[int]bool{}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].spread, all[a].spread) })
	for _, i := range order[:min(len(order), maxStrips)] {
		keep[i] = true
	}
	for i, s := range all {
		if keep[i] {
			out = append(out, s.Strip)
		}
	}
	return out, len(all) - len(out)
}

func logs(vs []float64) []float64 {
	out := make([]float64, len(vs))
	for i, v := range vs {
		out[i] = math.Log(v)
	}
	return out
}
