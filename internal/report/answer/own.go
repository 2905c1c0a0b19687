package answer

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// ofOwn returns what a run of the user's own benchmarks is of: its packages.
func (x *computing) ofOwn() string {
	var names []string
	for _, s := range x.subjects {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return "Time and allocations of " + several(names)
}

// own returns the time and the allocations of the user's own benchmarks here: of one case its
// figures, of several the longest, the shortest, and which allocates most.
func (x *computing) own() []Sentence {
	var cases []*result.Case
	if slices.ContainsFunc(x.subjects, shipped) {
		return nil
	}
	for _, s := range x.subjects {
		for i := range s.Cases {
			c := &s.Cases[i]
			base, _, _ := strings.Cut(caseName(c), "/")
			floor := base == s.study.Floor
			if s.run == 0 && c.Side == s.side && usable(c) && c.Time.Known() && !floor {
				cases = append(cases, c)
			}
		}
	}
	if len(cases) == 0 {
		return nil
	}
	longest, shortest, most := cases[0], cases[0], cases[0]
	for _, c := range cases {
		if c.Time.Value > longest.Time.Value {
			longest = c
		}
		if c.Time.Value < shortest.Time.Value {
			shortest = c
		}
		if c.Metrics["B/op"] > most.Metrics["B/op"] {
			most = c
		}
	}
	if len(cases) == 1 {
		return []Sentence{join(caseName(longest), " takes ", figure(longest.Time), allocates(longest, " and allocates "), ".")}
	}
	out := join("Of ", units.Plural(len(cases), "case")+" "+caseName(longest), " takes longest, ", figure(longest.Time),
		", and "+caseName(shortest)+" shortest, ", figure(shortest.Time), ".")
	if says := allocates(most, " allocates most: "); says != "" {
		return []Sentence{out, language.Plain(caseName(most) + says + ".")}
	}
	return []Sentence{out}
}

// allocates says how much a case allocates, behind words; "" where that was not counted. One that
// allocates nothing says so.
func allocates(c *result.Case, words string) string {
	bytes, counted := c.Metrics["B/op"]
	switch {
	case !counted:
		return ""
	case bytes < 1 && strings.HasSuffix(words, "most: "): // then none does
		return ""
	case bytes < 1:
		return words + "nothing"
	}
	return words + units.Quantity(float64(bytes), "B/op") + fmt.Sprintf(" in %s", units.Plural(int(c.Metrics["allocs/op"]+0.5), "allocation"))
}

// caseName returns a case's name without the number of processors.
func caseName(c *result.Case) string {
	base, parts := benchfmt.Name(c.Name).Parts()
	name := string(base)
	for _, p := range parts {
		if p[0] != '-' {
			name += string(p)
		}
	}
	return name
}
