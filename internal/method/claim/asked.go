// This part of the package holds what is asked of a run, its claims, expectations, tables and pictures,
// to the cases that there are: before anything is measured.

package claim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// A Study is a study or package with the cases that a run found of it.
type AskedStudy struct {
	Name    string
	Shipped bool
	Study   *language.Study
	// Cases are those that will be measured, as series without samples, on each
	// configuration; Left those that the quick profile leaves to the full one.
	Cases, Left [][]*series.Series
}

// Warnings returns what selects nothing in a study, and which claims cannot be paired.
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

// Check reports the first of the claims of the command line that is not written as one.
func Check(texts []string) error {
	for i, text := range texts {
		if _, err := parse(i, text, "C"); err != nil {
			return err
		}
		if slices.Contains(texts[:i], text) {
			return hint.Usage("give each claim once", "%s %q is given twice", Flag, text)
		}
	}
	return nil
}

// form is what a claim of the command line looks like.
const form = "--claim 'BenchmarkOld / BenchmarkNew > 1', or as in a directive: --claim 'SELECTOR / SELECTOR [UNIT] " +
	"OP BOUND [for every KEY[, KEY]]'"

// parse reads the claim number i, from 0 on, of the command line.
func parse(i int, text, id string) (language.Claim, error) {
	st, err := language.Parse("", []language.Directive{directive(i, text, id)}, &language.Show{})
	var wrong *language.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return language.Claim{}, hint.Usage(form, "%s %q: %s", Flag, text, wrong.Msg)
	case err != nil:
		return language.Claim{}, hint.Usage(form, "%s %q: %w", Flag, text, err)
	}
	return st.Claims[0], nil
}

func directive(i int, text, id string) language.Directive {
	return language.Directive{Verb: "claim", Text: id + " " + text, Pos: language.Pos{File: Flag, Line: i + 1}}
}

// Claims returns, for each study, the claims of the command line that are about it, as
// directives with IDs of their own (claim-1), and what is to be said of cases that a claim
// leaves out. A claim is about every study that has cases on both of its sides; one that is
// about none, or whose cases make no pairs, is an error.
func Claims(texts []string, studies []AskedStudy) (out [][]language.Directive, warnings []string, err error) {
	out = make([][]language.Directive, len(studies))
	for i, text := range texts {
		c, err := parse(i, text, "C")
		if err != nil {
			return nil, nil, err
		}
		var about []int
		var unpaired error
		for s, study := range studies {
			alone, is, err := study.has(c)
			switch {
			case !is:
				continue
			case err != nil:
				unpaired = err
				continue
			}
			about = append(about, s)
			if len(alone) > 0 {
				warnings = append(warnings, fmt.Sprintf("%s %q leaves out %s: the other side of the ratio has no such "+
					"case", Flag, text, some(alone)))
			}
		}
		switch {
		case len(about) == 0 && unpaired != nil:
			advice := ""
			if _, hints := hint.Split(unpaired); len(hints) == 0 { // two cases at one place
				advice = mispairing(c, studies)
			}
			return nil, nil, hint.Usage(advice, "%s %q: %w", Flag, text, unpaired)
		case len(about) == 0:
			return nil, nil, aboutNothing(text, c, studies)
		}
		for _, s := range about {
			out[s] = append(out[s], directive(i, text, freeID(i, studies[s].Study)))
		}
	}
	return out, warnings, nil
}

// freeID returns the ID of a claim of the command line, another one than those of the study.
func freeID(i int, st *language.Study) string {
	id := fmt.Sprintf("claim-%d", i+1)
	for slices.ContainsFunc(st.Claims, func(c language.Claim) bool { return c.ID == id }) {
		id = "own-" + id
	}
	return id
}

// has reports whether a claim is about a study. alone are the cases of a ratio without a
// counterpart; the error says why nothing can be compared.
func (s AskedStudy) has(c language.Claim) (alone []*series.Series, is bool, err error) {
	for _, cases := range s.Cases {
		num, den := Sides(c, cases)
		switch {
		case len(num) == 0 || !c.Den.IsZero() && len(den) == 0:
			continue
		case c.Kind == language.Ratio:
			_, alone, err = s.pairs(c, false)
			return alone, true, err
		}
		keys := slices.Clone(c.Every)
		if c.Kind == language.Linear {
			keys = append(keys, c.LinearKey)
		}
		for _, key := range keys {
			if len(values(num, key)) == 0 {
				return nil, true, fmt.Errorf("%s %s has no key %s", askedNoun(num), some(num), key)
			}
		}
		return nil, true, nil
	}
	return nil, false, nil
}

func askedNoun(cases []*series.Series) string {
	if len(cases) == 1 {
		return "the case"
	}
	return "none of"
}

// mispairing advises how to pair the cases of a claim: by the keys that differ on a side.
func mispairing(c language.Claim, studies []AskedStudy) string {
	var keys []string
	for _, s := range studies {
		for _, cases := range s.Cases {
			num, den := Sides(c, cases)
			for _, side := range [][]*series.Series{num, den} {
				for _, key := range keysOf(side) {
					if len(values(side, key)) > 1 {
						keys = append(keys, key)
					}
				}
			}
		}
	}
	if keys = askedDistinct(keys); len(keys) == 0 {
		return ""
	}
	return "end it with: for every " + strings.Join(keys, ", ")
}

// aboutNothing returns the error of a claim that is about none of the studies, with the
// nearest names that there are.
func aboutNothing(text string, c language.Claim, studies []AskedStudy) error {
	for _, sel := range []language.Selector{c.Num, c.Den} {
		if sel.IsZero() || len(with(sel, studies, false)) > 0 {
			continue
		}
		if left := with(sel, studies, true); len(left) > 0 {
			return hint.Usage("--full measures them, and so does -b with their names",
				"%s %q: the quick profile leaves out the cases of %s that match %s", Flag, text,
				strings.Join(left, ", "), sel)
		}
		return hint.Usage(nearest(sel, studies), "%s %q: no benchmark of %s matches %s", Flag, text, names(studies), sel)
	}
	return hint.Usage("a ratio compares benchmarks of one study or package",
		"%s %q: its two sides are in different packages: %s in %s, %s in %s", Flag, text, c.Num,
		strings.Join(with(c.Num, studies, false), ", "), c.Den, strings.Join(with(c.Den, studies, false), ", "))
}

func names(studies []AskedStudy) string {
	const most = 3
	if len(studies) > most {
		return "what is to be run"
	}
	var out []string
	for _, s := range studies {
		out = append(out, s.Name)
	}
	return strings.Join(out, ", ")
}

// with returns the names of the studies in which a selector matches a case: of those that
// will be measured, or of those that are left to the full profile.
func with(sel language.Selector, studies []AskedStudy, left bool) []string {
	var out []string
	for _, s := range studies {
		of := s.Cases
		if left {
			of = s.Left
		}
		for _, cases := range of {
			for _, c := range cases {
				if sel.Match(c.Result) {
					out = append(out, s.Name)
				}
			}
		}
	}
	return askedDistinct(out)
}

// mostValues is how many values of a key are listed.
const mostValues = 20

// nearest advises which benchmarks may be meant by a selector that matches none.
func nearest(sel language.Selector, studies []AskedStudy) string {
	var tops, all []string // benchmarks, and every beginning of their names
	why := ""
	for _, s := range studies {
		for _, r := range s.all() {
			name := withoutProcs(r)
			top, _, _ := strings.Cut(name, "/")
			tops = append(tops, top)
			for i, ch := range name + "/" {
				if ch == '/' {
					all = append(all, name[:i])
				}
			}
		}
		w := newSelected(s.all()).missing(language.Column{Num: sel})
		if why == "" && strings.Contains(w, "did you mean") {
			why = w
		}
	}
	tops, all = askedDistinct(tops), askedDistinct(all)
	if sel.Plain() != nil {
		word, _, _ := strings.Cut(sel.String(), " ")
		if near := hint.Nearest(strings.TrimPrefix(word, "Benchmark"), all); near != "" {
			return "did you mean " + near + "?"
		}
	} else if why != "" {
		return why
	}
	for _, s := range studies {
		for _, cases := range s.Cases {
			for _, key := range sel.Keys() {
				if vs := values(cases, key); len(vs) > 0 && len(vs) <= mostValues {
					return "the values of " + key + " are " + strings.Join(vs, ", ")
				}
			}
		}
	}
	const most = 12
	more := ""
	if len(tops) > most {
		tops, more = tops[:most], " …"
	}
	slices.Sort(tops)
	return "the benchmarks are " + strings.Join(tops, ", ") + more + "; memcost run -n lists all cases, and -b may " +
		"have left some out"
}

func withoutProcs(r *benchfmt.Result) string {
	_, parts := r.Name.Parts()
	if n := len(parts); n > 0 && parts[n-1][0] == '-' {
		return strings.TrimSuffix(string(r.Name.Full()), string(parts[n-1]))
	}
	return string(r.Name.Full())
}

// viewWarnings returns what is wrong with the tables and pictures of a study that has
// these cases: in the user's packages each column without a case, and a key of rows that no
// case has; in shipped studies, whose columns may be of an allocator that is missing here,
// these only where no column has a case.
func viewWarnings(st *language.Study, shipped bool, cases []*benchfmt.Result) []string {
	v := newSelected(cases)
	var out []string
	for _, t := range st.Tabulated() {
		var missing []string
		for _, c := range t.Columns {
			if w := v.missing(c); w != "" {
				missing = append(missing, fmt.Sprintf("%s: column %s: %s", c.Pos, c.Header, w))
			}
		}
		if shipped && len(missing) < len(t.Columns) {
			continue
		}
		if out = append(out, missing...); !slices.Contains(v.keys, t.By) {
			out = append(out, fmt.Sprintf("%s: by = %q: no benchmark has this key%s", t.Pos, t.By, hint.Question(t.By, v.keys)))
		}
	}
	return askedDistinct(out)
}

// A selected holds the cases of a study, to find what selectors miss.
type selected struct {
	cases []*benchfmt.Result
	names []string // of their benchmarks
	keys  []string // of their names and of their configuration
}

func newSelected(cases []*benchfmt.Result) *selected {
	v := &selected{cases: cases, keys: []string{"gomaxprocs"}} // a name without -N ran on one processor
	for _, x := range cases {
		v.names = append(v.names, string(x.Name.Base()))
		for _, kv := range language.Keys(x.Name) {
			v.keys = append(v.keys, kv.Key)
		}
		for _, c := range x.Config {
			v.keys = append(v.keys, c.Key)
		}
	}
	v.names, v.keys = askedDistinct(v.names), askedDistinct(v.keys)
	return v
}

// missing returns why a column has no case, or "".
func (v *selected) missing(c language.Column) string {
	for _, sel := range []language.Selector{c.Num, c.Den} {
		if sel.IsZero() || slices.ContainsFunc(v.cases, sel.Match) {
			continue
		}
		if sel.Scope != "" && !slices.Contains(v.names, sel.Scope) {
			return fmt.Sprintf("there is no benchmark %q%s", sel.Scope, hint.Question(sel.Scope, v.names))
		}
		for _, key := range sel.Keys() {
			if key != "" && key[0] != '.' && !slices.Contains(v.keys, key) {
				return fmt.Sprintf("no benchmark matches %q: none has the key %s%s", sel, key, hint.Question(key, v.keys))
			}
		}
		return fmt.Sprintf("no benchmark matches %q", sel)
	}
	return ""
}

// A Need is how many rounds the verdicts on claims take.
type Need struct {
	Claims int `json:"claims"` // that have cases here
	// Least is the number of rounds before which nothing is decided.
	Least int `json:"least_rounds"`
	// Most is the number of rounds that refute the largest claim where it fails at one of its
	// places alone; where it fails at all of them alike, Least do. Places is their number.
	Most   int    `json:"most_rounds"`
	Claim  string `json:"largest_claim,omitempty"`
	Places int    `json:"places,omitempty"`
	// Others is the number of rounds of a case that no claim is about: those that every case
	// has where there are claims, and where there are none, or configurations are compared,
	// those that an interval takes.
	Others int `json:"other_rounds"`
	// Rounds are those of each case that a claim is about, by study or package and name.
	Rounds map[[2]string]int `json:"-"`
}

// Rounds returns how many rounds the claims of studies take at error rate alpha: those of the first look. A claim over m
// cases, or pairs of them, that fails at one alone needs those of its share of alpha: see refute.
//
// With compared, configurations are compared in every case.
func Rounds(studies []AskedStudy, alpha float64, compared bool) Need {
	n := Need{Least: stat.MinRounds(2 * alpha), Others: stat.MinRounds(alpha), Rounds: map[[2]string]int{}}
	n.Most = n.Least
	for _, s := range studies {
		for _, c := range s.Study.Claims {
			places, about := s.places(c)
			if places == 0 {
				continue
			}
			n.Claims++
			for _, x := range about {
				n.Rounds[[2]string{s.Name, x.Case}] = n.Least
			}
			if _, one := shares(alpha, places); places > n.Places {
				n.Most, n.Claim, n.Places = max(n.Most, stat.MinRounds(2*one)), s.Name+" "+c.ID, places
			}
		}
	}
	switch {
	case compared:
		n.Least, n.Most = n.Others, max(n.Others, n.Most)
	case n.Claims > 0:
		n.Others = plan.FirstRounds
	default:
		n.Least, n.Most = n.Others, n.Others
	}
	return n
}

// Of returns the rounds of a case.
func (n Need) Of(study, name string) int { return max(n.Others, n.Rounds[[2]string{study, name}]) }

// places returns at how many places a claim is judged on one configuration, and the cases
// that it is about.
func (s AskedStudy) places(c language.Claim) (places int, about []*series.Series) {
	for _, cases := range s.Cases {
		num, _ := Sides(c, cases)
		switch c.Kind {
		case language.Ratio:
			pairs, _, _ := s.pairs(c, false)
			for _, p := range pairs {
				about = append(about, p.Num, p.Den)
			}
			return len(pairs), about
		case language.Value:
			places = len(num)
		default: // an exponent, or a comparison of machines, over all cases together
			places = min(len(num), 1)
		}
		if places > 0 {
			return places, num
		}
	}
	return 0, nil
}

// Says says which rounds verdicts take.
func (n Need) Says() string {
	if n.Most == n.Least {
		return fmt.Sprintf("the %d rounds that a verdict takes", n.Least)
	}
	return fmt.Sprintf("the rounds that verdicts take (%d, and up to %d where a claim is over several cases)", n.Least,
		n.Most)
}
