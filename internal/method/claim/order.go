package claim

import (
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A tier says how much a run needs a case.
type tier int

// The tiers, the most needed first.
const (
	ofClaims tier = iota // a claim speaks of it, or a guard needs it
	shown                // it stands in a table or a picture
	rest
	tiers
)

// Batches returns the cases of a run's studies and packages in the order in which they are
// needed: those of claims first (of the claims that answer the question before others), then
// those that tables and pictures show, then the rest. The two sides of a ratio are one batch.
// Studies take turns, so that where the time ends none is without a case that others have.
func Batches(studies []*language.Study, cases []plan.Case) [][]int {
	var out [][]int
	of := make([][tiers][][]int, len(studies))
	for i, st := range studies {
		of[i] = needs(st, i, cases)
	}
	for t := range tiers {
		for n, more := 0, true; more; n++ {
			more = false
			for i := range of {
				if n < len(of[i][t]) {
					out, more = append(out, of[i][t][n]), true
				}
			}
		}
	}
	return out
}

// needs returns the batches of one suite by tier. A case may be in several of them.
func needs(st *language.Study, suite int, cases []plan.Case) (out [tiers][][]int) {
	all, index := Named(suite, cases)
	seen := map[int]bool{}
	add := func(t tier, cs ...*series.Series) {
		var batch []int
		for _, c := range cs {
			batch = append(batch, index[c])
			seen[index[c]] = true
		}
		out[t] = append(out[t], batch)
	}
	part := func(t tier, claims []language.Claim, tables []language.Table) {
		only := *st
		only.Claims, only.Tables, only.Pictures = claims, tables, nil
		for _, p := range RatioPairs(&only, all) {
			add(t, p.Num, p.Den)
		}
	}
	each := func(t tier, sels ...language.Selector) {
		for _, c := range all {
			if slices.ContainsFunc(sels, func(s language.Selector) bool { return s.Match(c.Result) }) {
				add(t, c)
			}
		}
	}
	for _, c := range all {
		if st.Floor != "" && string(c.Result.Name.Base()) == st.Floor {
			add(ofClaims, c)
		}
	}
	for _, c := range answersFirst(st) {
		if part(ofClaims, []language.Claim{c}, nil); c.Den.IsZero() {
			each(ofClaims, c.Num)
		}
		if !c.Weak.IsZero() {
			each(ofClaims, c.Weak)
		}
	}
	for _, t := range st.Tabulated() {
		part(shown, nil, []language.Table{t})
		for _, c := range t.Columns {
			if c.Den.IsZero() {
				each(shown, c.Num)
			}
		}
	}
	for _, c := range all {
		if !seen[index[c]] {
			add(rest, c)
		}
	}
	return out
}

// answersFirst returns a study's claims, those that answer its question first.
func answersFirst(st *language.Study) []language.Claim {
	var first, others []language.Claim
	for _, id := range st.Answer {
		for _, c := range st.Claims {
			if c.ID == id {
				first = append(first, c)
			}
		}
	}
	for _, c := range st.Claims {
		if !slices.Contains(st.Answer, c.ID) {
			others = append(others, c)
		}
	}
	return append(first, others...)
}

// Named returns a suite's cases as series without samples, for matching, and their indices.
func Named(suite int, all []plan.Case) ([]*series.Series, map[*series.Series]int) {
	var cases []*series.Series
	index := map[*series.Series]int{}
	for i, c := range all {
		if c.Suite != suite {
			continue
		}
		sr := &series.Series{ID: series.ID{Case: c.Name}, Result: &benchfmt.Result{Name: benchfmt.Name(c.Name)}}
		cases = append(cases, sr)
		index[sr] = i
	}
	return cases, index
}
