// This part of the package holds what is asked of a run, its claims, expectations, tables and pictures,
// to the cases that there are: before anything is measured.

package claim

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A Suite is a study or package with the cases that a run found of it.
type AskedStudy struct {
	Name    string
	Shipped bool
	Study   *language.Study
	// Cases are those that will be measured, as series without samples, on each
	// configuration; Left those that the quick profile leaves to the full one.
	Cases, Left [][]*series.Series
}

// Warnings returns what selects nothing in a suite, and which claims cannot be paired.
// judged is the number of its claims on ratios that have a pair of cases, and mispaired that of
// those whose two sides have cases, and none of them a counterpart.
func Warnings(s AskedStudy) (warnings []string, judged, mispaired int) {
	cases := s.all()
	none := func(sel language.Selector) bool { return !slices.ContainsFunc(cases, sel.Match) }
	for _, c := range s.Study.Claims {
		empty := false
		for _, sel := range []language.Selector{c.Num, c.Den, c.Weak} {
			if !sel.IsZero() && none(sel) {
				empty = true
				warnings = append(warnings, fmt.Sprintf("%s: claim %s: no benchmark matches %q", c.Pos, c.ID, sel))
			}
		}
		if c.Kind != language.Ratio || empty {
			continue
		}
		if _, _, err := s.pairs(c, true); err != nil {
			mispaired++
			text, _ := hint.Split(err)
			warnings = append(warnings, fmt.Sprintf("%s: claim %s: %s", c.Pos, c.ID, text))
			continue
		}
		judged++
	}
	for _, e := range s.Study.Expects {
		if none(e.Sel) {
			warnings = append(warnings, fmt.Sprintf("%s: expectation: no benchmark matches %q", e.Pos, e.Sel))
		}
	}
	return append(warnings, viewWarnings(s.Study, s.Shipped, cases)...), judged, mispaired
}

// all returns the cases of all configurations, those left to the full profile included.
func (s AskedStudy) all() []*benchfmt.Result {
	var out []*benchfmt.Result
	for _, of := range [][][]*series.Series{s.Cases, s.Left} {
		for _, cases := range of {
			for _, c := range cases {
				out = append(out, c.Result)
			}
		}
	}
	return out
}

// pairs pairs the cases of a claim on a ratio, on the first configuration that has some; full
// takes those with them that the quick profile leaves out. alone are cases without a
// counterpart. It is an error when a pairing is ambiguous, and when no case has a counterpart.
func (s AskedStudy) pairs(c language.Claim, full bool) (pairs []Pair, alone []*series.Series, err error) {
	for arm, cases := range s.Cases {
		if full && arm < len(s.Left) {
			cases = slices.Concat(cases, s.Left[arm])
		}
		num, den := Sides(c, cases)
		if len(num) == 0 || len(den) == 0 {
			continue
		}
		pairs, alone, err = MatchClaim(c, num, den)
		switch {
		case err != nil:
			return nil, nil, err
		case len(pairs) > 0:
			return pairs, alone, nil
		}
		err = noPairs(c, num, den)
	}
	return nil, alone, err
}

// noPairs says why the cases of two sides make no pair.
func noPairs(c language.Claim, num, den []*series.Series) error {
	both := slices.Concat(num, den)
	for _, key := range c.Every {
		if len(values(both, key)) == 0 {
			return hint.New("the keys of these cases are "+strings.Join(keysOf(both), ", "),
				"no case of its two sides has the key %s", key)
		}
	}
	advice := "a value of each key behind \"for every\" must occur on both sides"
	if len(c.Every) == 0 {
		advice = "what stands behind the two names must be alike: Old/small goes with New/small"
	}
	return hint.New(advice+"; memcost run -n lists the cases",
		"no case of one side has a counterpart on the other: %s, and %s", some(num), some(den))
}

// values returns those of a key among cases.
func values(cases []*series.Series, key string) []string {
	var out []string
	for _, c := range cases {
		if v, ok := language.Keys(c.Result.Name).Get(key); ok {
			out = append(out, v)
		}
	}
	return askedDistinct(out)
}

// keysOf returns the keys of cases that tell them apart, whatever they ran under.
func keysOf(cases []*series.Series) []string {
	var out []string
	for _, c := range cases {
		for _, kv := range language.Keys(c.Result.Name) {
			if kv.Key != "gomaxprocs" && kv.Key != "busy" {
				out = append(out, kv.Key)
			}
		}
	}
	return askedDistinct(out)
}

// Flag is the flag that takes a claim, and the place where its claims stand.
const Flag = "--claim"

// some names a few cases.
func some(cases []*series.Series) string {
	const most = 3
	var names []string
	for _, c := range cases {
		names = append(names, c.Case)
	}
	if names = askedDistinct(names); len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// distinct drops repeated names, and keeps the order.
func askedDistinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
