package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A Verdict is what one data set says of a claim.
type Verdict struct {
	Claim    string
	Data     string // name of the data set
	Status   Status
	Elements []Element
	Deciding int // index of the element that decided it, −1 when there is none
	Notes    []string
	// Why is, in a few words, why nothing was tested, or why it is undecided where that
	// is not for the width of an interval; "" else.
	Why   string
	Scope Scope
	Busy  bool // undecided because other programs used the CPU
	// Counted says that the verdict rests on an interval; Selected that it stands when all
	// that the run reports is counted together: see Discover.
	Counted, Selected bool

	invalid bool // cases were left out for being INVALID
}

func (v *Verdict) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

func (v *Verdict) leftOut(invalid []*series.Series) {
	v.invalid = v.invalid || len(invalid) > 0
	switch len(invalid) {
	case 0:
	case 1:
		v.note("%s is left out: it is INVALID", invalid[0].Case)
	default:
		v.note("%d INVALID cases are left out, %s among them", len(invalid), invalid[0].Case)
	}
}

func (v *Verdict) ratio(c language.Claim, d *Data) {
	num, badNum := d.pick(c.Num)
	den, badDen := d.pick(c.Den)
	v.leftOut(append(badNum, badDen...))
	pairs, alone, err := MatchClaim(c, d.only(num, c.Unit), d.only(den, c.Unit))
	if err != nil {
		v.note("%v", err)
		return
	}
	v.noPartner(alone, pairs, len(badNum)+len(badDen))
	v.Scope.Noun = nounOf(c, pairs)
	v.Scope.count(d, LabelsOfPairs(pairs), func(extra []*series.Series) []string {
		all, _, err := MatchClaim(c, slices.Concat(d.only(num, c.Unit), chosen(extra, c.Num)),
			slices.Concat(d.only(den, c.Unit), chosen(extra, c.Den)))
		if err != nil {
			return nil // which of two cases stands at a place without a figure is nobody's question
		}
		return LabelsOfPairs(all)
	})
	for _, p := range pairs {
		e := Element{Label: p.Label, Cases: []string{p.Num.Case, p.Den.Case}}
		a, err := allowedBy(c, p.Num, false)
		if err != nil {
			v.Elements = append(v.Elements, e.untested(err.Error()))
			continue
		}
		v.Elements = append(v.Elements, logElement(d, e, subject{p.Num, p.Den, c.Unit}, 0, a))
	}
}

// nounOf says what a place of a claim on a ratio is: see Scope.
func nounOf(c language.Claim, pairs []Pair) string {
	if len(c.Every) == 0 && len(pairs) > 1 && c.Num.Plain() != nil && c.Den.Plain() != nil {
		return "case"
	}
	return noun(c.Every)
}

// noPartner notes cases that stand on one side only, unless it was just said
// that cases are INVALID: their partners are then alone for that reason.
func (v *Verdict) noPartner(alone []*series.Series, pairs []Pair, invalid int) {
	switch {
	case len(alone) <= invalid:
	case len(alone) == 1:
		v.note("%s is left out: the other side of the ratio has no such case",
			alone[0].Case+onlyOneProc(alone[0].Case, pairs))
	default:
		v.note("%d cases are left out, %s among them: the other side of the ratio has no such cases", len(alone),
			alone[0].Case+onlyOneProc(alone[0].Case, pairs))
	}
}

// onlyOneProc tells a case without a suffix from those that have one, where there are
// such: the suffix is left away for GOMAXPROCS=1.
func onlyOneProc(name string, pairs []Pair) string {
	for _, p := range pairs {
		if p.Num.Case != name && strings.HasPrefix(p.Num.Case, name+"-") || p.Den.Case != name &&
			strings.HasPrefix(p.Den.Case, name+"-") {
			return " (GOMAXPROCS=1)"
		}
	}
	return ""
}

func (v *Verdict) value(c language.Claim, d *Data) {
	unit := c.Unit
	if c.PerKey != "" {
		unit = "sec/op"
	}
	picked, bad := d.pick(c.Num)
	v.leftOut(bad)
	cases := d.only(picked, unit)
	cases = slices.DeleteFunc(cases, func(s *series.Series) bool { return !HasKeys(s, c.Every) })
	label := byKeys(c.Every).labels(cases, Conditions())
	v.Scope.Noun = noun(c.Every)
	placesOf := func(cs []*series.Series) (out []string) {
		for _, s := range cs {
			if HasKeys(s, c.Every) {
				out = append(out, label(s))
			}
		}
		return out
	}
	v.Scope.count(d, placesOf(cases), func(extra []*series.Series) []string { return placesOf(chosen(extra, c.Num)) })
	for _, s := range cases {
		e := Element{Label: label(s), Cases: []string{s.Case}}
		a, err := allowedBy(c, s, exact(d, unit))
		amount := 0.0
		if err == nil && c.PerKey != "" {
			amount, err = Number(s, c.PerKey)
		}
		switch {
		case err != nil:
			e = e.untested(err.Error())
		case exact(d, unit) || c.PerKey == "" && settled(d, s, unit):
			e = exactElement(d, e, s, unit, a)
		default:
			e = logElement(d, e, subject{s, nil, unit}, amount, a)
		}
		v.Elements = append(v.Elements, e)
	}
}

// NoFigures is the note of a claim that there is nothing to judge by, and no
// other reason than that.
const NoFigures = "none of its cases was measured"

// conclude draws the verdict from the elements and names the one that decided.
func (v *Verdict) conclude(alpha float64) {
	refute(v.Elements, alpha)
	extremes(v.Elements, alpha)
	count := map[Status]int{}
	for _, e := range v.Elements {
		count[e.Status]++
	}
	judged := count[Holds] + count[Fails] + count[Undecided] + count[AtBound]
	v.Scope.Judged -= min(count[Untested], v.Scope.Judged)
	v.Scope.Other += count[Untested]
	switch {
	case judged == 0:
		v.Status = Untested
		if why := v.untested(); why != "" {
			v.note("%s", why)
		} else if len(v.Notes) == 0 {
			v.note(NoFigures)
		}
		v.Why = v.shortly()
	case count[Fails] > 0:
		v.Status = Fails
	case count[Undecided] > 0:
		v.Status = Undecided
		v.doubt()
	case count[AtBound] > 0:
		v.Status = AtBound
	default:
		v.Status = Holds
	}
	if count[Untested] > 0 && judged > 0 {
		v.note("not tested in %d of its %d cases: %s", count[Untested], len(v.Elements), v.untested())
	}
	best := math.Inf(1)
	for i, e := range v.Elements {
		if e.Status != v.Status {
			continue
		}
		// A claim fails where it first fails; it holds, or is open, where it
		// is nearest to its bound.
		if v.Status == Fails {
			v.Deciding = i
			return
		}
		if m := e.margin(); m < best-1e-3 || v.Deciding < 0 { // the first of those that are as near
			v.Deciding, best = i, m
		}
	}
}

// doubt names what keeps an undecided verdict open, where it is the same for every open
// place and no width of an interval.
func (v *Verdict) doubt() {
	var doubts []Doubt
	for _, e := range v.Elements {
		if e.Status == Undecided && !slices.Contains(doubts, e.Doubt) {
			doubts = append(doubts, e.Doubt)
		}
	}
	if len(doubts) == 1 {
		v.Why, v.Busy = string(doubts[0]), doubts[0] == BusyCPU
	}
}

// Says returns the verdict in words, with what it does not cover: "holds at 13 of 36 causes
// (the rest: --full)", "undecided: the machine was busy".
func (v Verdict) Says() string {
	say := string(v.Status)
	switch {
	case v.Why != "":
		return say + ": " + v.Why
	case v.Status == Holds:
		if scope := v.Scope.String(); scope != "" {
			say += " " + scope
		}
	case (v.Status == Fails || v.Status == AtBound) && v.Scope.Judged > 1:
		n := 0
		for _, e := range v.Elements {
			if e.Status == v.Status {
				n++
			}
		}
		slopes := slices.ContainsFunc(v.Elements, func(e Element) bool { return strings.HasPrefix(e.Label, Exponent) })
		if !slopes {
			say += fmt.Sprintf(" at %d of %d %s", n, v.Scope.Judged, v.Scope.plural())
		}
	}
	return say
}

// The reasons of Verdict.Why when nothing was tested.
const (
	whyInvalid  = InvalidNote
	NotMeasured = "not measured"
	whyRound    = "no common round"
	NoMachine   = "no other machine"
	NotedWhy    = "reason below"
)

const noOtherMachine = "there is no other machine to compare with"

// shortly returns why nothing was tested, in a few words.
func (v *Verdict) shortly() string {
	switch {
	case slices.Contains(v.Notes, NoFigures):
		return NotMeasured
	case slices.Contains(v.Notes, noOtherMachine):
		return NoMachine
	case slices.Contains(v.Notes, noCommonRound):
		return whyRound
	case v.invalid:
		return whyInvalid
	}
	return NotedWhy
}

// untested is why the first place that is not judged is not.
func (v *Verdict) untested() string {
	for _, e := range v.Elements {
		if e.Status == Untested {
			return e.Note
		}
	}
	return ""
}

// margin is how far an element is inside its bounds, in logarithms: of the
// interval where there is one, of the figure elsewhere.
func (e Element) margin() float64 {
	lo, hi := e.Figure, e.Figure
	if !e.Single && !e.Interval.IsEmpty() {
		lo, hi = e.Interval.Lo, e.Interval.Hi
	}
	m := math.Inf(1)
	if e.allowed.lo > 0 {
		m = min(m, math.Log(lo/e.allowed.lo))
	}
	if e.allowed.hi > 0 && !math.IsInf(e.allowed.hi, 1) {
		m = min(m, math.Log(e.allowed.hi/hi))
	}
	return m
}

// A Scope says over how many places a verdict speaks, of how many that the claim has in
// its study, and why it does not speak of the others.
type Scope struct {
	Noun   string `json:"noun"`   // what a place is: "size", "cause"; "place" where that has no single name
	Judged int    `json:"judged"` // places with a figure that counts
	Places int    `json:"places"` // all that are known
	// Of those that were not judged: left to the full profile, not reached in the budget,
	// INVALID, without a result (the benchmark failed or skipped itself), and what has another
	// reason, which is noted with its place.
	Full    int `json:"full,omitempty"`
	Later   int `json:"later,omitempty"`
	Invalid int `json:"invalid,omitempty"`
	Failed  int `json:"failed,omitempty"`
	Apart   int `json:"other_shards,omitempty"` // in shards that are not among what was read
	Other   int `json:"other,omitempty"`
	// Selected says that -b chose the cases: there may be more places, which nobody listed.
	Selected bool `json:"selected,omitempty"`
}

// Whole reports whether every place that the claim speaks of was judged.
func (s Scope) Whole() bool {
	return s.Judged == s.Places && (!s.Selected || s.Noun == "")
}

// String returns the scope behind a verdict: "at 13 of 36 causes (the rest: --full)",
// "" where the claim was judged everywhere.
func (s Scope) String() string {
	switch {
	case s.Whole():
		return ""
	case s.Judged == s.Places && s.Judged == 1:
		return fmt.Sprintf("at the one %s that -b selects", s.Noun)
	case s.Judged == s.Places:
		return fmt.Sprintf("at the %d %s that -b selects", s.Judged, s.plural())
	}
	var why []string
	add := func(n int, reason string) {
		if n == s.Places-s.Judged {
			reason = "the rest: " + reason
		} else {
			reason = fmt.Sprintf("%d: %s", n, reason)
		}
		if n > 0 {
			why = append(why, reason)
		}
	}
	add(s.Full, "--full")
	add(s.Later, "--resume")
	add(s.Apart, "in other shards")
	add(s.Invalid, InvalidNote)
	add(s.Failed, "failed")
	add(s.Other, "no figure")
	if s.Selected {
		why = append(why, "chosen by -b")
	}
	return fmt.Sprintf("at %d of %d %s (%s)", s.Judged, s.Places, s.plural(), strings.Join(why, ", "))
}

// plural is the noun for several places. Only a word of which the plural is sure takes an s:
// a key is whatever the author of a benchmark called it.
func (s Scope) plural() string {
	switch s.Noun {
	case "place":
		return "places"
	case "":
		return "cases"
	}
	if len(s.Noun) < 3 || strings.ContainsAny(s.Noun, "0123456789_") || strings.HasSuffix(s.Noun, "s") ||
		strings.HasSuffix(s.Noun, "y") || strings.HasSuffix(s.Noun, "ch") {
		return "values of " + s.Noun
	}
	return s.Noun + "s"
}

// noun is what the places of a claim are called that speaks of every value of some keys.
func noun(every []string) string {
	switch len(every) {
	case 0:
		return ""
	case 1:
		return every[0]
	}
	return "place"
}

// count fills in the places: judged are the labels of the elements, and places finds those
// that the cases without a figure that counts make with the others.
func (s *Scope) count(d *Data, judged []string, places func(extra []*series.Series) []string) {
	seen := map[string]bool{}
	for _, l := range judged {
		seen[l] = true
	}
	s.Judged, s.Places, s.Selected = len(judged), len(judged), d.Selected && s.Noun != ""
	var extra []*series.Series
	invalid := slices.DeleteFunc(slices.Clone(d.Cases), func(c *series.Series) bool {
		return len(d.Invalid[c.Case]) == 0
	})
	for _, step := range []struct {
		cases []*series.Series
		count *int
	}{{invalid, &s.Invalid}, {absentCases(d, Failed), &s.Failed}, {absentCases(d, Later), &s.Later},
		{absentCases(d, Full), &s.Full}, {absentCases(d, Apart), &s.Apart}} {
		if len(step.cases) == 0 {
			continue
		}
		extra = slices.Concat(extra, step.cases)
		for _, l := range places(extra) {
			if !seen[l] {
				seen[l] = true
				*step.count++
				s.Places++
			}
		}
	}
}

// chosen returns those of some cases that a claim selects.
func chosen(cases []*series.Series, sel language.Selector) []*series.Series {
	return slices.DeleteFunc(slices.Clone(cases), func(c *series.Series) bool { return !sel.Match(c.Result) })
}

func absentCases(d *Data, why Lack) []*series.Series {
	var out []*series.Series
	for _, a := range d.Absent {
		if a.Why == why {
			out = append(out, series.Named(a.Case))
		}
	}
	return out
}
