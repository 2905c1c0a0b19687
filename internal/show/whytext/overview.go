package whytext

import (
	"cmp"
	"fmt"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

// all returns the answer, what it rests on, and what to type next. The sites have the
// lines that the rest leaves them.
func (v *overview) all() []string {
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
func (v *overview) answer() string {
	switch {
	case v.o.Answer != "":
		return v.o.Answer
	case len(v.ranked()) == 0:
		return "Nothing was allocated by the packages that were asked for."
	}
	return units.Plural(len(v.ranked()), "site") + " allocated."
}

// benchmarks returns a line for each of the first benchmarks.
func (v *overview) benchmarks() []string {
	shown := v.r.Benchmarks
	t := text.Table{Header: []string{v.ran(), "allocs" + v.per(), "B" + v.per(), "time" + v.per()}}
	if !v.o.Long && len(shown) > benchesShown {
		t.More, shown = int64(len(shown)-benchesShown), shown[:benchesShown]
	}
	profiled := slices.ContainsFunc(shown, func(b sites.Benchmark) bool {
		return measured(b.Malloc) || measured(b.Assist) || measured(b.GC)
	})
	if profiled {
		t.Header = append(t.Header, "malloc", "assist", "GC (est.)")
	} else {
		t.Header = append(t.Header, "share of CPU")
	}
	var failed []string
	for i := range shown {
		b := &shown[i]
		if b.Failed != "" {
			name := text.Shorten(text.Clean(v.benchName(b)), v.o.Width/2)
			failed = append(failed, v.saysIn(0, 1, name+" failed: "+b.Failed)...)
			continue
		}
		row := []string{text.Clean(v.benchName(b)), objects(b.Objects), size(b.Bytes), timeOf(b.Time)}
		if profiled {
			t.Add(append(row, shareAlone(b.Malloc), shareAlone(b.Assist), shareAlone(b.GC))...)
		} else {
			t.Add(append(row, notMeasured)...)
		}
	}
	if !v.narrow() {
		shortenBenches(&t, v.o.Width)
	}
	return append(v.table(t), failed...)
}

// timeOf formats a benchmark's time in one column.
func timeOf(i sites.Interval) string {
	if !measured(i) {
		return notMeasured
	}
	s := units.Seconds(i.Value)
	if bounded(i) && i.Lo > 0 {
		s += " " + units.Interval(i.Value, i.Lo, i.Hi, "sec/op")
	}
	return s
}

// warnings returns the report's warnings and what is not known of its packages.
func (v *overview) warnings() []string {
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
func (v *overview) next() []string {
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
	return v.saysIn(0, v.nextLines(), fmt.Sprintf("next: %s --site %s   or --source %s   or -o why.html", command, key,
		file))
}

// nextLines returns how many lines the commands may take.
func (v *overview) nextLines() int {
	if v.limited() {
		return 2
	}
	return 0
}

// asked returns the packages for a command line.
func (v *overview) asked() string {
	if v.o.Asked != "" || len(v.r.Packages) == 0 {
		return cmp.Or(v.o.Asked, ".")
	}
	return v.r.Packages[0].Path
}
