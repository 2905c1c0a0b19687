package whytext

import (
	"fmt"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// join says how far the three sources agree.
func (v *overview) join() []string {
	limit := 0
	if v.limited() {
		limit = 3
	}
	out := v.saysIn(0, limit, strings.Join(v.agreement(" (--long)"), " "))
	if v.o.Long {
		out = append(out, v.unmatchedList()...)
	}
	return out
}

// agreement returns how far the three sources agree, in sentences. What is unmatched is listed
// elsewhere.
func (v *overview) agreement(elsewhere string) []string {
	j := &v.r.Join
	var say []string
	if j.Samples > 0 {
		named := ""
		if j.Named > 0 {
			named = units.Thousands(j.Named) + " more have a named reason for having none, "
		}
		say = append(say, fmt.Sprintf("%s of %s records of the profile in your packages match a compiler's "+
			"diagnostic, %s%s.", units.Thousands(j.Matched), units.Thousands(j.Samples), named,
			unmatched(j, elsewhere)))
	}
	if j.Outside > 0 {
		say = append(say, fmt.Sprintf("%s of the %s objects from dependencies are explained.",
			units.Percent(float64(j.OutsideExplained)/float64(j.Outside)), units.Thousands(j.Outside)))
	}
	if j.Contradicted > 0 {
		say = append(say, fmt.Sprintf("The binary contradicts %s \"does not escape\".",
			units.Plural(j.Contradicted, "statement")))
	}
	return say
}

func unmatched(j *sites.Join, elsewhere string) string {
	n := j.Samples - j.Matched - j.Named
	if n <= 0 {
		return "none is unmatched"
	}
	return units.Thousands(n) + " unmatched" + elsewhere
}

// unmatchedList lists what nothing explains.
func (v *overview) unmatchedList() []string {
	var out []string
	for _, u := range v.r.Join.Unmatched {
		out = append(out, v.says(2, fmt.Sprintf("unmatched: %s at %s: %s, %s, %s", u.Function, at(u.File, u.Line),
			u.Call, units.Plural(u.Objects, "object"), units.Bytes(u.Bytes)))...)
	}
	return out
}

// never counts the sites that did not allocate, and lists them where everything is asked for.
func (v *overview) never() []string {
	sites := v.unranked()
	switch {
	case len(sites) == 0:
		return nil
	case !v.o.Long && len(sites) == 1:
		return v.says(0, "1 more site allocated nothing in this run (--long lists it).")
	case !v.o.Long:
		return v.says(0, strconv.Itoa(len(sites))+" more sites allocated nothing in this run (--long lists them).")
	}
	out := v.says(0, units.Plural(len(sites), "site")+" allocated nothing in this run:")
	for _, s := range sites {
		out = append(out, v.says(2, fmt.Sprintf("%s %s: %s: %s", at(s.File, s.Line), v.name(s), v.class(s),
			cause(s)))...)
	}
	return out
}
