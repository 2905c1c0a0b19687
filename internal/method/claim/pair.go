package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A Pair is the two sides of a ratio.
type Pair struct {
	Label    string
	Num, Den *series.Series
}

// Match pairs the cases of two selections: for each value of the keys in every (and of
// what they were measured under: see Condition) one case on each side. Without keys each
// side must be a single case. A case that lacks one of the keys is left out; alone are the
// cases of one side without a counterpart on the other. Two candidates with the same values
// are an error. named are the keys that the selections ask for: a condition among them
// may differ between the two sides.
func Match(num, den []*series.Series, every []string, named ...string) (pairs []Pair, alone []*series.Series,
	err error) {
	return match(num, den, byKeys(every), byKeys(every), named)
}

// MatchClaim pairs the cases of the two sides of a claim. Two benchmarks that are named as
// go test prints them, BenchmarkOld / BenchmarkNew, are paired by what stands behind the
// names: parts without a key by their position, and keys by their values; where the claim
// is "for every KEY" these keys are enough. Other claims are paired as Match does.
func MatchClaim(c language.Claim, num, den []*series.Series) (pairs []Pair, alone []*series.Series, err error) {
	if a, b := c.Num.Plain(), c.Den.Plain(); a != nil && b != nil {
		left, right := side{behind(a, c.Every), c.Every}, side{behind(b, c.Every), c.Every}
		return match(num, den, left, right, PairingNamed(c.Num, c.Den))
	}
	return Match(num, den, c.Every, PairingNamed(c.Num, c.Den)...)
}

// A side tells its cases apart.
type side struct {
	// at returns what is said of a case, "" where it needs no saying, and whether the case
	// has a place at all. Conditions are no part of it.
	at    func(c *series.Series) (at string, ok bool)
	every []string // keys that it looks at
}

// byKeys tells cases apart by their keys.
func byKeys(every []string) side {
	return side{every: every, at: func(c *series.Series) (string, bool) {
		if len(every) == 0 {
			return "", true
		}
		return Label(c, every), HasKeys(c, every)
	}}
}

// behind tells cases apart by what their names have behind that of their side: "/small
// size=16". Of the keys only those in every are looked at, if there are any.
func behind(name *language.Name, every []string) func(*series.Series) (string, bool) {
	return func(c *series.Series) (string, bool) {
		bare, keys := name.Behind(c.Result.Name)
		var at []string
		if len(bare) > 0 {
			at = append(at, "/"+strings.Join(bare, "/"))
		}
		if len(every) > 0 {
			return strings.Join(append(at, Label(c, every)), " "), HasKeys(c, every)
		}
		slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
		for _, kv := range keys {
			if !slices.Contains(Conditions(), Condition(kv[0])) {
				at = append(at, kv[0]+"="+kv[1])
			}
		}
		return strings.Join(at, " "), true
	}
}

func match(num, den []*series.Series, left, right side, named []string) (pairs []Pair, alone []*series.Series,
	err error) {
	under := equalOn(num, den, named)
	nums, err := left.places(num, under)
	if err != nil {
		return nil, nil, err
	}
	dens, err := right.places(den, under)
	if err != nil {
		return nil, nil, err
	}
	label := left.labels(slices.Concat(num, den), under)
	paired := map[*series.Series]bool{}
	for _, c := range num {
		b := dens[left.place(c, under)]
		if b == nil || b == c || nums[left.place(c, under)] != c {
			continue
		}
		pairs = append(pairs, Pair{label(c), c, b})
		paired[c], paired[b] = true, true
	}
	for i, c := range slices.Concat(num, den) {
		of := left
		if i >= len(num) {
			of = right
		}
		if _, ok := of.at(c); ok && !paired[c] {
			alone = append(alone, c)
		}
	}
	return pairs, alone, nil
}

// places maps the places of a selection to the one case at each.
func (s side) places(cs []*series.Series, under []Condition) (map[string]*series.Series, error) {
	at := map[string]*series.Series{}
	for _, c := range cs {
		if _, ok := s.at(c); !ok {
			continue
		}
		p := s.place(c, under)
		if other := at[p]; other != nil {
			return nil, fmt.Errorf("%s and %s are on the same side: say which keys tell the pairs apart (\"for "+
				"every KEY\")", other.Case, c.Case)
		}
		at[p] = c
	}
	return at, nil
}

// Place returns the position of a case among others: the values of the keys, and the
// conditions.
func Place(c *series.Series, every []string, under []Condition) string {
	return byKeys(every).place(c, under)
}

func (s side) place(c *series.Series, under []Condition) string {
	at, _ := s.at(c)
	for _, u := range under {
		at += " " + string(u) + "=" + u.Of(c)
	}
	return at
}

// labels returns what to call the places of cs: as Label does, with the conditions that
// differ between them.
func (s side) labels(cs []*series.Series, under []Condition) func(*series.Series) string {
	var several []Condition
	for _, u := range under {
		if !slices.Contains(s.every, string(u)) &&
			slices.ContainsFunc(cs, func(c *series.Series) bool { return u.Of(c) != u.Of(cs[0]) }) {
			several = append(several, u)
		}
	}
	return func(c *series.Series) string {
		at, _ := s.at(c)
		if at == "" {
			return c.Case
		}
		for _, u := range several {
			at += u.Suffix(c)
		}
		return at
	}
}

// LabelsOfPairs returns the labels of pairs, in their order.
func LabelsOfPairs(pairs []Pair) []string {
	var out []string
	for _, p := range pairs {
		out = append(out, p.Label)
	}
	return out
}

// LabelsOf returns the labels of cases by a key, each once.
func LabelsOf(cases []*series.Series, key string) []string {
	var out []string
	for _, s := range cases {
		if l := Label(s, []string{key}); HasKeys(s, []string{key}) && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// NaturalOrder compares names with the numbers in them as numbers, so that size=2048
// comes before size=16384.
func NaturalOrder(a, b string) int {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da > 0 && db > 0 {
			na, nb := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if c := cmp.Or(cmp.Compare(len(na), len(nb)), strings.Compare(na, nb)); c != 0 {
				return c
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the length of the run of digits at the start of s.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
