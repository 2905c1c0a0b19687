package claim

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

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
	for _, step := range []struct {
		cases []*series.Series
		count *int
	}{{invalidCases(d), &s.Invalid}, {absentCases(d, Failed), &s.Failed}, {absentCases(d, Later), &s.Later},
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
	var out []*series.Series
	for _, c := range cases {
		if sel.Match(c.Result) {
			out = append(out, c)
		}
	}
	return out
}

func invalidCases(d *Data) []*series.Series {
	var out []*series.Series
	for _, c := range d.Cases {
		if len(d.Invalid[c.Case]) > 0 {
			out = append(out, c)
		}
	}
	return out
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
