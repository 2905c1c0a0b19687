package whytext

import (
	"fmt"
	"slices"
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

const linesBelow = 2 // below a site, where there is room

// sites returns the sites that cost most, each in two lines or more, in no more lines than
// room; 0 is no limit.
func (v *overview) sites(room int) []string {
	all := v.ranked()
	if len(all) == 0 {
		return nil
	}
	shown := all
	if !v.o.Long {
		shown = notable(all)
	}
	if !v.o.Long && len(shown) > sitesShown {
		shown = shown[:sitesShown]
	}
	for v.limited() && len(shown) > 1 && 2*len(shown)+2 > room {
		shown = shown[:len(shown)-1]
	}
	heads := v.heads(shown)
	out := heads[0]
	spare := room - len(out) - 2*len(shown) - 1
	fixes := map[string]int{}
	for i, s := range shown {
		most := 0
		if v.limited() {
			most = 1 + min(max(spare, 0), linesBelow-1)
		}
		under := v.under(s, most, fixes)
		spare -= max(len(under)-1, 0)
		out = append(append(out, heads[i+1]...), under...)
	}
	if more := len(all) - len(shown); more > 0 {
		out = append(out, fmt.Sprintf("… and %s (--long)", units.Plural(more, "more site")))
	}
	return out
}

// leastObjects is how many objects each operation a site makes at least that is shown among those
// that cost most: what happens once in a run is none of them.
const leastObjects = 0.01

// notable returns the sites that are worth a line; all of them where none is.
func notable(all []*sites.Site) []*sites.Site {
	var out []*sites.Site
	for _, s := range all {
		if slices.ContainsFunc(s.Costs, func(c sites.Cost) bool { return c.Objects >= leastObjects }) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// heads returns the header and the first lines of sites, with their figures.
func (v *overview) heads(sites []*sites.Site) [][]string {
	if v.narrow() {
		out := [][]string{nil}
		for _, s := range sites {
			out = append(out, v.narrowHead(s))
		}
		return out
	}
	t := text.Table{Header: []string{"", "function", "file:line", "objects" + v.per(), "B" + v.per(), "share of CPU"},
		Keys: 3, Left: map[int]bool{1: true, 2: true}}
	for _, s := range sites {
		t.Add(append([]string{strconv.Itoa(s.Rank), text.Clean(v.name(s)), text.Clean(at(s.File, s.Line))},
			costFigures(s)...)...)
	}
	shortenNames(&t, v.o.Width)
	lines := v.table(t)
	out := make([][]string, len(lines))
	for i, line := range lines {
		out[i] = []string{line}
	}
	return out
}

// costFigures returns what a site costs in the benchmark in which it costs most: objects,
// bytes, and its share of the CPU time.
func costFigures(s *sites.Site) []string {
	if len(s.Costs) == 0 {
		return []string{notMeasured, notMeasured, notMeasured}
	}
	c := s.Costs[0]
	return []string{objectsOf(c), size(c.Bytes), share(c.Share)}
}

// narrowHead returns the first lines of a site where figures do not fit beside names.
func (v *overview) narrowHead(s *sites.Site) []string {
	f := costFigures(s)
	return append(v.named(fmt.Sprintf("%d %s", s.Rank, v.name(s)), at(s.File, s.Line), true),
		v.says(below, fmt.Sprintf("%s objects%s, %s%s, share of CPU %s", f[0], v.per(), f[1], v.per(), f[2]))...)
}

// under returns what stands below a site's figures, in so many lines at most: its class and
// cause, what could go, the usual fix, unless it stands at an earlier site, and the source
// where there is room for it.
func (v *overview) under(s *sites.Site, most int, fixes map[string]int) []string {
	say := sentence(v.reason(s))
	if g := v.gain(s); g != "" {
		say += " " + sentence(g)
	}
	if fix := fixOf(s); fix != "" {
		if first, ok := fixes[fix]; ok {
			say += fmt.Sprintf(" Fix: as %d.", first)
		} else {
			say, fixes[fix] = say+" Fix: "+sentence(fix), s.Rank
		}
	}
	lines := v.saysIn(below, most, say)
	if s.Text != "" {
		if long := v.says(below, say+" Source: "+s.Text); most == 0 || len(long) <= most {
			lines = long
		}
	}
	if v.o.All {
		lines = append(lines, v.inside(s)...)
	}
	return lines
}

// reason returns the class and the cause of a site, and in which benchmark it has its figures.
func (v *overview) reason(s *sites.Site) string {
	say := v.class(s) + ": " + cause(s)
	if where := v.where(s); where != "" {
		say += " (" + where + ")"
	}
	return say
}

// fixOf returns the usual fix of a site: of what allocates on its behalf where that has one.
func fixOf(s *sites.Site) string {
	if s.Cause.Fix == "" && s.Callee != nil {
		return s.Callee.Cause.Fix
	}
	return s.Cause.Fix
}

// where says in which benchmark the site has its figures, where there are several.
func (v *overview) where(s *sites.Site) string {
	if len(v.r.Benchmarks) < 2 || len(s.Costs) == 0 {
		return ""
	}
	b := v.bench(s.Costs[0].Benchmark)
	if b == nil {
		return ""
	}
	if more := len(s.Costs) - 1; more > 0 {
		return fmt.Sprintf("in %s and %d more", v.benchName(b), more)
	}
	return "in " + v.benchName(b)
}

// inside returns what allocates in dependencies on behalf of a site.
func (v *overview) inside(s *sites.Site) []string {
	var out []string
	for i := range s.Inside {
		c := &s.Inside[i]
		out = append(out, v.says(below+2, fmt.Sprintf("%s of its objects, %s of its bytes: %s at %s: %s: %s",
			units.Percent(c.Objects), units.Percent(c.Bytes), c.Function, at(c.File, c.Line), c.Class,
			causeWords(c.Cause, "")))...)
	}
	return out
}
