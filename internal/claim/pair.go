package claim

import (
	"fmt"
	"slices"

	"memcost/internal/series"
)

// A Pair is the two sides of a ratio.
type Pair struct {
	Label    string
	Num, Den *series.Series
}

// Match pairs the cases of two selections: for each value of the keys in every (and of
// what they were measured under: see condition) one case on each side. Without keys each
// side must be a single case. A case that lacks one of the keys is left out; alone are the
// cases of one side without a counterpart on the other. Two candidates with the same values
// are an error. named are the keys that the selections ask for: a condition among them
// may differ between the two sides.
func Match(num, den []*series.Series, every []string, named ...string) (pairs []Pair, alone []*series.Series,
	err error) {
	under := equalOn(num, den, named)
	nums, err := places(num, every, under)
	if err != nil {
		return nil, nil, err
	}
	dens, err := places(den, every, under)
	if err != nil {
		return nil, nil, err
	}
	label := labels(slices.Concat(num, den), every, under)
	paired := map[*series.Series]bool{}
	for _, c := range num {
		b := dens[place(c, every, under)]
		if b == nil || b == c || nums[place(c, every, under)] != c {
			continue
		}
		pairs = append(pairs, Pair{label(c), c, b})
		paired[c], paired[b] = true, true
	}
	for _, c := range slices.Concat(num, den) {
		if !paired[c] && hasKeys(c, every) {
			alone = append(alone, c)
		}
	}
	return pairs, alone, nil
}

// places maps the places of a selection to the one case at each.
func places(cs []*series.Series, every []string, under []condition) (map[string]*series.Series, error) {
	at := map[string]*series.Series{}
	for _, c := range cs {
		if !hasKeys(c, every) {
			continue
		}
		p := place(c, every, under)
		if other := at[p]; other != nil {
			return nil, fmt.Errorf("%s and %s are on the same side: say which keys tell the pairs apart (\"for "+
				"every KEY\")", other.Case, c.Case)
		}
		at[p] = c
	}
	return at, nil
}

// place returns the position of a case among others: the values of the keys, and the
// conditions.
func place(c *series.Series, every []string, under []condition) string {
	at := ""
	if len(every) > 0 {
		at = label(c, every)
	}
	for _, u := range under {
		at += " " + string(u) + "=" + u.of(c)
	}
	return at
}

// labels returns what to call the places of cs: as label does, with the conditions that
// differ between them.
func labels(cs []*series.Series, every []string, under []condition) func(*series.Series) string {
	var several []condition
	for _, u := range under {
		if !slices.Contains(every, string(u)) &&
			slices.ContainsFunc(cs, func(c *series.Series) bool { return u.of(c) != u.of(cs[0]) }) {
			several = append(several, u)
		}
	}
	return func(c *series.Series) string {
		at := label(c, every)
		for _, u := range several {
			if len(every) > 0 {
				at += u.suffix(c)
			}
		}
		return at
	}
}

func labelsOfPairs(pairs []Pair) []string {
	var out []string
	for _, p := range pairs {
		out = append(out, p.Label)
	}
	return out
}

// labelsOf returns the labels of cases by a key, each once.
func labelsOf(cases []*series.Series, key string) []string {
	var out []string
	for _, s := range cases {
		if l := label(s, []string{key}); hasKeys(s, []string{key}) && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}
