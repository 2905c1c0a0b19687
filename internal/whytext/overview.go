package whytext

import (
	"fmt"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/text"
	"memcost/internal/units"
	"memcost/internal/why"
)

// overview returns the answer, what it rests on, and what to type next. The sites have the
// lines that the rest leaves them.
func (v *view) overview() []string {
	answerMost := 0
	if v.limited() {
		answerMost = 4
	}
	before := sections(v.saysIn(0, answerMost, v.answer()), v.benchmarks())
	after := sections(slices.Concat(v.join(), v.warnings(), v.never()), v.next())
	room := 0
	if v.limited() {
		room = linesAtMost - len(before) - len(after) - 2 // an empty line on both sides
	}
	return sections(before, v.sites(room), after)
}

// answer returns what stands first.
func (v *view) answer() string {
	switch {
	case v.o.Answer != "":
		return v.o.Answer
	case len(v.ranked()) == 0:
		return "Nothing was allocated by the packages that were asked for."
	}
	return units.Plural(len(v.ranked()), "site") + " allocated."
}

// benchmarks returns a line for each of the first benchmarks.
func (v *view) benchmarks() []string {
	t := text.Table{Header: []string{v.ran(), "allocs" + v.per(), "B" + v.per(), "time" + v.per(), "malloc", "assist",
		"GC (est.)"}}
	shown := v.r.Benchmarks
	if !v.o.Long && len(shown) > benchesShown {
		t.More, shown = int64(len(shown)-benchesShown), shown[:benchesShown]
	}
	names := v.benchNames(shown)
	var failed []string
	for i := range shown {
		b, name := &shown[i], names[i]
		if b.Failed != "" {
			failed = append(failed, v.saysIn(0, 1, name+" gave no figures: "+b.Failed)...)
			continue
		}
		t.Add(name, objects(b.Objects), size(b.Bytes), timeOf(b.Time), shareAlone(b.Malloc), shareAlone(b.Assist),
			shareAlone(b.GC))
	}
	return append(v.table(t), failed...)
}

// benchNames returns the names of benchmarks, with room for their figures beside them. Names
// that would be the same if their middles were cut out lose the folders that they share.
func (v *view) benchNames(shown []why.Benchmark) []string {
	const figures = 61
	names, short := make([]string, len(shown)), make([]string, len(shown))
	seen := map[string]bool{}
	for i := range shown {
		names[i] = text.Clean(v.benchName(&shown[i]))
		short[i] = text.Shorten(names[i], v.o.Width-figures)
		seen[short[i]] = true
	}
	switch {
	case v.narrow():
		return names
	case len(seen) == len(names):
		return short
	}
	var long []string
	for i, name := range names {
		if short[i] != name {
			long = append(long, name)
		}
	}
	shared := sharedFolders(long)
	for i, name := range names {
		if short[i] != name {
			short[i] = pretty.Snip("…"+name[shared:], v.o.Width-figures, "…")
		}
	}
	return short
}

// sharedFolders returns the length of what all names begin with, up to a slash.
func sharedFolders(names []string) int {
	shared := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return strings.LastIndexByte(shared, '/') + 1
}

// timeOf formats a benchmark's time in one column.
func timeOf(i why.Interval) string {
	if !measured(i) {
		return notMeasured
	}
	s := units.Seconds(i.Value)
	if bounded(i) && i.Lo > 0 {
		s += " " + units.Interval(i.Value, i.Lo, i.Hi, "sec/op")
	}
	return s
}

// ran returns what the rows of the first table are.
func (v *view) ran() string {
	switch v.r.Mode {
	case "tests":
		return "test"
	case "profile":
		return "profile"
	}
	return "benchmark"
}

// warnings returns the report's warnings and what is not known of its packages.
func (v *view) warnings() []string {
	all := slices.Clone(v.r.Warnings)
	for i := range v.r.Packages {
		p := &v.r.Packages[i]
		for _, s := range p.Partial {
			all = append(all, p.Path+": "+s)
		}
	}
	const most = 3
	var out []string
	for i, s := range all {
		if v.limited() && i == most-1 && len(all) > most {
			return append(out, v.says(0, fmt.Sprintf("warning: and %d more (--long)", len(all)-i))...)
		}
		limit := 0
		if v.limited() {
			limit = 2
		}
		out = append(out, v.saysIn(0, limit, "warning: "+s)...)
	}
	return out
}

// next returns what to type next.
func (v *view) next() []string {
	command := "memcost why " + v.asked()
	key, file := "1", ""
	if len(v.r.Sites) > 0 {
		file = v.r.Sites[0].File
	}
	switch {
	case file == "":
		return nil
	case v.r.Sites[0].Rank == 0:
		key = at(file, v.r.Sites[0].Line)
	}
	return v.saysIn(0, v.nextLines(), fmt.Sprintf("next: %s --site %s   or --source %s   or -o why.html", command, key, file))
}

// nextLines returns how many lines the commands may take.
func (v *view) nextLines() int {
	if v.limited() {
		return 2
	}
	return 0
}
