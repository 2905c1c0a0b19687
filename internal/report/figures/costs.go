package figures

import (
	"cmp"
	"slices"
	"strings"

	"memcost/internal/study/language"
)

// A cost is a figure with the name of what has it.
type cost struct {
	name string
	Figure
}

// costs says what a picture of costs shows: of a curve the figures at its last value that most
// columns have, of one column of dots the figures by name, of several the range of each.
func (p *Picture) costs(s *PictureSet) string {
	if p.Kind == language.Curve && len(s.Rows) > 1 {
		return p.atLast(s)
	}
	var columns []int
	for c := range p.Columns {
		if c != p.Roofline && len(p.points(c, s)) > 0 {
			columns = append(columns, c)
		}
	}
	const few = 4
	switch {
	case len(columns) == 0:
		return ""
	case len(s.Rows) == 1:
		return p.row(s.Rows[0])
	case len(columns) == 1 || len(s.Rows) <= few:
		return p.byName(columns[0], s, len(columns) > 1)
	}
	var say []string
	for _, c := range columns {
		lo, hi := extremes(p.points(c, s))
		by := keyName(p.By)
		what := p.Columns[c] + does(lo.Figure) + lo.Brief()
		if hi.Brief() != lo.Brief() {
			what += by.at(lo) + " to " + hi.Brief() + by.at(hi)
		}
		say = append(say, what)
	}
	return strings.Join(firstOf(say), "; ")
}

// atLast returns the figures at the largest value of the key that most columns have.
func (p *Picture) atLast(s *PictureSet) string {
	rows := slices.Clone(s.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return CompareLabels(a.Label, b.Label) })
	best, most := -1, 0
	for i, r := range rows {
		if n := len(p.ofRow(r)); n > 0 && n >= most {
			best, most = i, n
		}
	}
	if best < 0 {
		return ""
	}
	return p.row(rows[best])
}

// ofRow returns the figures of a row, the dearest first; the floor is none of them.
func (p *Picture) ofRow(r Row) []cost {
	var out []cost
	for c, f := range r.Cells {
		if f.Known() && c != p.Roofline {
			out = append(out, cost{p.Columns[c], f})
		}
	}
	return dearestFirst(out)
}

func dearestFirst(all []cost) []cost {
	slices.SortStableFunc(all, func(a, b cost) int { return -cmp.Compare(a.Value, b.Value) })
	return all
}

// row returns the figures of a row with its place.
func (p *Picture) row(r Row) string {
	where := strings.TrimPrefix(keyName(p.By).at(point{label: r.Label}), " ")
	if where != "" {
		where += " "
	}
	return where + listed(p.ofRow(r))
}

// byName returns the figures of a column by what has them.
func (p *Picture) byName(column int, s *PictureSet, named bool) string {
	var all []cost
	for _, x := range p.points(column, s) {
		all = append(all, cost{p.nameOf(x.label), x.Figure})
	}
	say := listed(dearestFirst(all))
	if named {
		return p.Columns[column] + ": " + say
	}
	return say
}

// nameOf returns what a value of the key is called: a number has the key beside it, unless that
// is a size.
func (p *Picture) nameOf(label string) string {
	isNumber := func(l string) bool { _, err := labelNumber(l); return err == nil }
	if !slices.ContainsFunc(p.labels(), isNumber) {
		return Label(p.By, label)
	}
	return cmp.Or(Place(p.By+"="+label), Label(p.By, label))
}

// listed says what each has, the first with the verb: "pointer takes 33 ms, copy 6.9 ms".
func listed(all []cost) string {
	var say []string
	for i, c := range all {
		verb := " "
		if i == 0 {
			verb = does(c.Figure)
		}
		say = append(say, c.name+verb+c.Brief())
	}
	return strings.Join(firstOf(say), ", ")
}

// does returns the verb for a figure of a unit.
func does(f Figure) string {
	switch {
	case f.Unit == "sec/op":
		return " takes "
	case f.Unit == "bytes": // a size, at which something happens
		return ": "
	case f.Unit == "B/op":
		return " allocates "
	case f.Unit == "allocs/op":
		return " makes "
	case strings.HasSuffix(f.Unit, "/s") || strings.HasSuffix(f.Unit, "/sec"):
		return " reaches "
	}
	return " has "
}
