package whytext

import (
	"fmt"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// nothingRun stands first where nobody else says that the answer rests on no measurement.
const nothingRun = "Nothing was run: these sites are what the compiler and the binary say, and none of them has a cost."

// all returns the sites of a report for which nothing was run, by function.
func (v *unrun) all() []string {
	before := v.says(0, v.unrunAnswer())
	before = append(before, v.says(0, v.byClass())...)
	after := sections(slices.Concat(v.join(), v.warnings()), v.next())
	room := 0
	if v.limited() {
		room = linesAtMost - len(before) - len(after) - 2
	}
	return sections(before, v.byFunction(room), after)
}

// unrunAnswer returns what stands first: that nothing was run.
func (v *overview) unrunAnswer() string {
	switch {
	case v.o.Answer != "":
		return v.o.Answer
	case len(v.r.Sites) == 0:
		return "Nothing was run, and neither the compiler nor the binary names an allocation site."
	}
	return nothingRun
}

// byClass counts the sites of each class.
func (v *unrun) byClass() string {
	if len(v.r.Sites) == 0 {
		return ""
	}
	counts := map[string]int{}
	for i := range v.r.Sites {
		counts[v.class(&v.r.Sites[i])]++
	}
	say := units.Plural(len(v.r.Sites), "site") + ":"
	for i, c := range []sites.Class{sites.CertainHeap, sites.Conditional, sites.RuntimeOnly} {
		if i > 0 {
			say += ","
		}
		say += fmt.Sprintf(" %d %s", counts[string(c)], c)
	}
	return say + "."
}

// byFunction lists the sites below their functions, in no more lines than room; 0 is no limit.
func (v *unrun) byFunction(room int) []string {
	var out []string
	last := ""
	for i := range v.r.Sites {
		s := &v.r.Sites[i]
		var lines []string
		if f := s.Package + "\x00" + s.Function; f != last {
			lines = v.named(v.name(s), s.File, !v.o.Long)
			last = f
		}
		limit := 0
		if v.limited() {
			limit = 1
		}
		lines = append(lines, v.saysIn(2, limit, fmt.Sprintf("line %d: %s: %s", s.Line, v.class(s), cause(s)))...)
		if room > 0 && len(out)+len(lines) >= room {
			return append(out, fmt.Sprintf("… and %s (--long)", units.Plural(len(v.r.Sites)-i, "more site")))
		}
		out = append(out, lines...)
	}
	return out
}
