package difftext

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
	"memcost/internal/sites/diff"
)

// A part is a table of the sites of one kind, or of the benchmarks: plain texts.
type part struct {
	title  string
	header []string
	left   []int // columns of words, beside the first
	rows   [][]string
}

// parts returns the tables of a comparison; long are those with everything.
func parts(d diff.Diff, long bool) []part {
	var out []part
	for _, kind := range []diff.Kind{diff.Gone, diff.New, diff.Changed, diff.Moved, diff.Same} {
		if kind == diff.Same && !long {
			continue
		}
		if p := sitesOf(d, kind, long); len(p.rows) > 0 {
			out = append(out, p)
		}
	}
	if p := benchmarks(d, long); len(p.rows) > 0 {
		out = append(out, p)
	}
	return out
}

// Titles are what the sites of each kind are called.
var Titles = map[diff.Kind]string{diff.Gone: "gone", diff.New: "new", diff.Changed: "changed",
	diff.Moved: "moved, at the same cost", diff.Same: "the same"}

// sitesOf returns the table of a kind. Sites that allocated nothing and are gone, new or moved are
// left out, unless everything is asked for.
func sitesOf(d diff.Diff, kind diff.Kind, long bool) part {
	p := part{title: Titles[kind], left: []int{1, 2, 6},
		header: []string{"function", "line", "benchmark", "allocs/op", "B/op", "CPU time", "cause"}}
	for _, c := range d.Sites {
		if c.Kind != kind || !long && (c.Idle || kind == diff.Moved && len(c.Costs) == 0) {
			continue
		}
		p.rows = append(p.rows, siteRows(d, c, long)...)
	}
	p.withoutEmptyColumns()
	return p
}

// siteRows returns the rows of a site: the benchmark that changed most, or each.
func siteRows(d diff.Diff, c diff.Change, long bool) [][]string {
	function, line, cause := Naming(c)
	if len(c.Costs) == 0 {
		return [][]string{{function, line, "", "", "", "", cause}}
	}
	var rows [][]string
	for i, x := range c.Costs {
		if i > 0 && !long {
			break
		}
		rows = append(rows, []string{function, line, d.Benchmarks[x.Benchmark].Name,
			Figure(c.Kind, x.Objects, "allocs/op"), Figure(c.Kind, x.Bytes, "B/op"), share(x.Share), cause})
	}
	return rows
}

// Naming returns the function, the line and the cause of a site, each with what it was before
// where it is another.
func Naming(c diff.Change) (function, line, cause string) {
	p := c.Place()
	function, line, cause = p.Function, position(p), p.Cause.Words
	if c.Old == nil || c.New == nil {
		return function, line, cause
	}
	if was := c.Old.Function; was != "" && escape.PlainName(was) != escape.PlainName(function) {
		function += " (was " + was + ")"
	}
	if was := position(c.Old); was != line {
		line += " (was " + relative(c.Old, c.New) + ")"
	}
	if c.Probably != "" {
		cause = strings.TrimSpace(cause + " (probably the same site: " + c.Probably + ")")
	}
	return function, line, cause
}

func position(p *diff.Place) string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// relative names the old place beside the new one: its line alone in the same file.
func relative(old, new *diff.Place) string {
	if old.File == new.File {
		return fmt.Sprint(old.Line)
	}
	return position(old)
}

// Figure formats what became of a figure: "-2" where the site is gone, "5 → 3" where it
// changed, else the figure.
func Figure(kind diff.Kind, p diff.Pair, unit string) string {
	switch {
	case kind == diff.Gone || kind == diff.New:
		d := p.Delta()
		return diff.Signed(d, units.Quantity(max(d, -d), unit))
	case p.Changed:
		return units.Quantity(p.Old, unit) + " → " + units.Quantity(p.New, unit)
	}
	return units.Quantity(p.New, unit)
}

// share formats shares of CPU time whose intervals are apart; "" where they are not.
func share(p diff.PairShare) string {
	if !p.Changed {
		return ""
	}
	return WithEnds(p.Old, "cpu-share") + " → " + WithEnds(p.New, "cpu-share")
}

// WithEnds formats a figure with its interval: "35 ns [20, 50]", "11.8% [10.6, 13.0]".
func WithEnds(i sites.Interval, unit string) string {
	if unit == "cpu-share" {
		value := units.Percent(i.Value)
		if i.Value > 0 && i.Value < diff.LeastShare {
			value = "<0.1%"
		}
		return fmt.Sprintf("%s [%.1f, %.1f]", value, 100*i.Lo, 100*i.Hi)
	}
	return units.Quantity(i.Value, unit) + " " + units.Ends(i.Value, i.Lo, i.Hi, unit)
}

// benchmarks returns the table of the benchmarks of both sides: those that changed, or all.
func benchmarks(d diff.Diff, long bool) part {
	p := part{title: "benchmarks", header: []string{"benchmark", "allocs/op", "B/op", "time/op"}}
	for _, b := range d.Benchmarks {
		if b.Only != "" || !long && !b.Objects.Changed && !b.Bytes.Changed && !b.Time.Changed {
			continue
		}
		time := ""
		if b.Time.Changed {
			time = WithEnds(b.Time.Old, "sec/op") + " → " + WithEnds(b.Time.New, "sec/op")
		}
		p.rows = append(p.rows, []string{b.Name, Figure("", b.Objects, "allocs/op"), Figure("", b.Bytes, "B/op"), time})
	}
	p.withoutEmptyColumns()
	return p
}

// withoutEmptyColumns drops columns in which nothing stands.
func (p *part) withoutEmptyColumns() {
	for i := len(p.header) - 1; i > 0; i-- {
		empty := true
		for _, r := range p.rows {
			empty = empty && r[i] == ""
		}
		if empty {
			p.drop(i)
		}
	}
}

// drop removes a column.
func (p *part) drop(column int) {
	p.header = append(p.header[:column:column], p.header[column+1:]...)
	for i, r := range p.rows {
		p.rows[i] = append(r[:column:column], r[column+1:]...)
	}
	var left []int
	for _, l := range p.left {
		switch {
		case l < column:
			left = append(left, l)
		case l > column:
			left = append(left, l-1)
		}
	}
	p.left = left
}

// Heading names the sides: "go1.27.4 against go1.24.13".
func Heading(d diff.Diff) string { return d.New.Name + " against " + d.Old.Name }

// Asides are the sentences below the tables: what limits the comparison, and benchmarks on one
// side only.
func Asides(d diff.Diff) []string {
	out := append([]string{}, d.Notes...)
	for _, side := range []struct{ key, name string }{{"old", d.Old.Name}, {"new", d.New.Name}} {
		var names []string
		for _, b := range d.Benchmarks {
			if b.Only != side.key {
				continue
			}
			if name := b.Name; b.Why == "" {
				names = append(names, name)
			} else {
				out = append(out, fmt.Sprintf("%s has figures of %s only: %s", name, side.name, b.Why))
			}
		}
		if len(names) > 0 {
			out = append(out, fmt.Sprintf("Only %s has %s: %s.", side.name, units.Plural(len(names), "benchmark"),
				some(names)))
		}
	}
	for _, b := range d.Benchmarks {
		if b.Only == "neither" {
			out = append(out, fmt.Sprintf("%s failed on both sides: %s", b.Name, b.Why))
		}
	}
	if n := d.Counts.Idle; n > 0 {
		out = append(out, fmt.Sprintf("%s on one side only and allocated nothing in the benchmarks of both.", are(n)))
	}
	return out
}

func are(n int) string {
	if n == 1 {
		return "1 more site is"
	}
	return units.Thousands(n) + " more sites are"
}

// some lists the first names.
func some(names []string) string {
	const most = 10
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}
