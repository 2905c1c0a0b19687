package answer

import (
	"cmp"
	"math"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// advice returns what to do, by claims that are decided here and stand: what most people ask first,
// then the first of each study before any second one, Go before C, and the largest effect first.
func (x *computing) advice() []Advice {
	var byRank [2][][]Advice
	var common []Advice
	for _, s := range x.subjects {
		if s.run != 0 || x.answers[0].Kind == result.File { // nobody knows what the machine did meanwhile
			continue
		}
		c := 0
		if s.cpp {
			c = 1
		}
		all := adviceOf(s)
		asked := func(a Advice) bool { return a.Common }
		for _, a := range all {
			if a.Common {
				common = append(common, a)
			}
		}
		for i, a := range slices.DeleteFunc(all, asked) {
			for len(byRank[c]) <= i {
				byRank[c] = append(byRank[c], nil)
			}
			byRank[c][i] = append(byRank[c][i], a)
		}
	}
	return append(common, chosen(byRank, MaxAdvice-len(common))...)
}

// chosen takes so many lines: the first of each study, then the second of each, of each rank those of
// the largest effect first; Go stands first in what was taken.
func chosen(byRank [2][][]Advice, most int) []Advice {
	var out [2][]Advice
	n := 0
	for _, ranks := range byRank {
		for _, all := range ranks {
			slices.SortStableFunc(all, func(a, b Advice) int { return cmp.Compare(b.effect, a.effect) })
		}
	}
	for i := range max(len(byRank[0]), len(byRank[1])) {
		for lang := range byRank {
			if i >= len(byRank[lang]) {
				continue
			}
			for _, a := range byRank[lang][i] {
				if n < most {
					out[lang] = append(out[lang], a)
					n++
				}
			}
		}
	}
	return append(out[0], out[1]...)
}

func adviceOf(s subject) []Advice {
	var out []Advice
	for _, a := range s.study.Front.Advise {
		id, want := a.Verdict()
		v := verdict(judged(s.Study, id))
		if v == nil || string(v.Status) != want || v.Busy || !stands(v) {
			continue
		}
		do, ok := filled(a.Do, v)
		because, also := filled(a.Because, v)
		if c := claimOf(s.study, id); !also && ok && len(counted(v)) == 1 && c != nil {
			because, also = general(s, c, v), true
		}
		if !ok || !also {
			continue
		}
		line := Advice{Do: do.String(), When: a.When, Because: because, Times: times(claimOf(s.study, id), v),
			Study: s.Name, Claim: id, Status: v.Status, Common: a.Common, effect: effect(v), Family: "go"}
		if c := judged(s.Study, id); c != nil {
			line.Prose = c.Prose
		}
		if s.cpp {
			line.Family = "c"
		}
		out = append(out, line)
	}
	return out
}

// effect returns the ratio nearest to 1 of what a verdict counts, turned so that it is above 1: what
// is gained everywhere.
func effect(v *result.Verdict) float64 {
	least := math.Inf(1)
	for _, e := range counted(v) {
		least = min(least, math.Abs(math.Log(float64(e.Figure.Value))))
	}
	if math.IsInf(least, 1) || math.IsNaN(least) {
		return 0
	}
	return least
}

// times returns what the other way costs as a multiple: "3.7–15×"; "" for a claim that is no
// ratio.
func times(c *language.Claim, v *result.Verdict) string {
	f := filling{v: v, shown: counted(v)}
	if c == nil || c.Kind != language.Ratio || len(f.shown) == 0 {
		return ""
	}
	lo := float64(f.extreme(func(a, b float64) bool { return a < b }).Figure.Value)
	hi := float64(f.extreme(func(a, b float64) bool { return a > b }).Figure.Value)
	if hi < 1 {
		lo, hi = 1/hi, 1/lo
	}
	from, to := units.Brief(lo, ""), units.Brief(hi, "")
	if from == to {
		return from + "×"
	}
	return from + "–" + to + "×"
}
