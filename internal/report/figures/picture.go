package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A Picture is the figures of a table, to be drawn: of every side of the run, and
// of every published data set.
type Picture struct {
	Kind     string // catalog.Curve, Forest, Dots or Steps
	Title    string // its author's
	By       string // the key along the axis
	Columns  []string
	Sides    []Sides // of the columns of a study's ratios, in their order; nil: the columns are named by their headers
	Roofline int     // the column that is the floor under the others; −1 is none
	Bounds   []Bound
	Sets     []PictureSet
	LeftOut  int  // columns that are not drawn because there are too many
	Busy     bool // the figures are those of a busy machine: their intervals tell of no side that costs more
}

// A PictureSet is one data set's part of a picture.
type PictureSet struct {
	Data      string // the side, or the published machine
	Published bool
	Rows      []Row
	Notes     []string
}

// A Bound is what a claim allows, drawn into a picture.
type Bound struct {
	Claim  string
	Lo, Hi float64 // −Inf and +Inf where it is open
}

// Numeric reports whether the values of the key are numbers.
func (p *Picture) Numeric() bool {
	return !slices.ContainsFunc(p.labels(), func(l string) bool { _, err := labelNumber(l); return err != nil })
}

// labels returns the values of the key in any set, in the order of a table's rows.
func (p *Picture) labels() []string {
	var out []string
	for _, s := range p.Sets {
		for _, r := range s.Rows {
			if !slices.Contains(out, r.Label) {
				out = append(out, r.Label)
			}
		}
	}
	slices.SortStableFunc(out, CompareLabels)
	return out
}

func (p *Picture) Lead() int {
	if p.Roofline >= 0 || len(p.Bounds) > 0 || p.By == "case" {
		return 1
	}
	return 0
}

func (p *Picture) HasFigures() bool {
	for _, s := range p.Sets {
		for _, r := range s.Rows {
			if slices.ContainsFunc(r.Cells, func(f Figure) bool { return !math.IsNaN(float64(f.Value)) }) {
				return true
			}
		}
	}
	return false
}

// MaxForest is how many lines of a forest plot one can read.
const MaxForest = 60

// Beside is what stands after a figure of a busy machine.
const Beside = "beside other programs"

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

// fewValues is how many values of a key are named.
const fewValues = 3

// SharedName names several cases: of each key its values, and no key that has many of them.
func SharedName(names []string) string {
	var keys []string
	values := map[string][]string{}
	for _, name := range names {
		for part := range strings.SplitSeq(name, "/") {
			key, value, _ := strings.Cut(part, "=")
			if values[key] == nil {
				keys = append(keys, key)
			}
			if !slices.Contains(values[key], value) {
				values[key] = append(values[key], value)
			}
		}
	}
	var parts []string
	for _, key := range keys {
		switch n := len(values[key]); {
		case n == 1 && values[key][0] == "":
			parts = append(parts, key)
		case n <= fewValues:
			parts = append(parts, key+"="+strings.Join(values[key], ","))
		}
	}
	return strings.Join(parts, "/")
}

// A point is a figure and where it stands.
type point struct {
	label string
	Figure
}

// points returns the figures of a column, in the order of the key.
func (p *Picture) points(column int, s *PictureSet) []point {
	var out []point
	for _, r := range s.Rows {
		if f := r.Cells[column]; !math.IsNaN(float64(f.Value)) {
			out = append(out, point{r.Label, f})
		}
	}
	slices.SortStableFunc(out, func(a, b point) int { return CompareLabels(a.label, b.label) })
	return out
}

// A keyName is the key of a picture's values, as it is spoken of.
type keyName string

// firstOf returns as many of several findings as one can read, and how many there are beside.
func firstOf(say []string) []string {
	const most = 3
	if len(say) > most {
		return append(slices.Clone(say[:most]), fmt.Sprintf("and %d more", len(say)-most))
	}
	return say
}

// at says where a figure stands: " at 64 KiB", " in reflect"; "" where there are no words for it.
func (k keyName) at(x point) string {
	if k.ofCauses() {
		return " in " + x.label
	}
	if k == "busy" {
		return " " + besideBusy(x.label)
	}
	if where := Place(string(k) + "=" + x.label); where != "" {
		return " at " + where
	}
	return ""
}

// ofCauses reports whether the key tells kinds of code apart, and not values of something.
func (k keyName) ofCauses() bool {
	return k == "cause" || k == "case" || k == "by" || k == "from"
}

// values returns what several values of a key are called: a key is whatever the author of a
// benchmark called it, and need not be a word.
func (k keyName) values() string {
	switch k {
	case "size", "cause", "case":
		return string(k) + "s"
	}
	return "values of " + string(k)
}

// many counts values of the key: "13 causes".
func (k keyName) many(n int) string {
	values := k.values()
	if n == 1 {
		values = strings.TrimSuffix(strings.Replace(values, "values of ", "value of ", 1), "s")
	}
	return fmt.Sprint(n, " ", values)
}

func extremes(ps []point) (lo, hi point) {
	byValue := func(a, b point) int { return cmp.Compare(a.Value, b.Value) }
	return slices.MinFunc(ps, byValue), slices.MaxFunc(ps, byValue)
}

// in returns the word before a number of values of the key.
func (k keyName) in() string {
	if k.ofCauses() {
		return "in"
	}
	return "at"
}

// Sentence returns the one finding that a picture shows, by the first data set that was
// measured here; by the first published one if there is no other. A ratio names both sides and
// has the dearer one as its subject, each figure its interval. Costs are named one by one: a
// quotient of two of them would have no interval.
func (p *Picture) Sentence() string {
	for _, published := range []bool{false, true} {
		for i := range p.Sets {
			if p.Sets[i].Published != published {
				continue
			}
			if say := p.ofSet(&p.Sets[i]); say != "" {
				return say
			}
		}
	}
	return p.Title + ": not measured"
}

func (p *Picture) ofSet(s *PictureSet) string {
	if p.Kind == language.Steps {
		return p.steps(p.Sets)
	}
	if p.Kind != language.Forest {
		if say := p.costs(s); say != "" {
			return p.Title + ": " + p.with(s, say)
		}
		return ""
	}
	for c := range p.Columns {
		if c < len(p.Sides) && p.Sides[c].Unit == series.UnitCPU { // it stands behind the ratio of times
			continue
		}
		if ps := p.points(c, s); len(ps) > 0 {
			say := p.with(s, p.ratio(c, ps, p.Busy && !s.Published))
			if c < len(p.Sides) {
				say = Upper(say)
			}
			return say
		}
	}
	return ""
}

// with says of which data set a sentence speaks, where there are several.
func (p *Picture) with(s *PictureSet, say string) string {
	if rest, ok := strings.CutPrefix(say, notDecided); ok {
		return notDecided + p.with(s, rest)
	}
	several := len(slices.DeleteFunc(slices.Clone(p.Sets), func(o PictureSet) bool { return o.Published })) > 1
	switch {
	case s.Published:
		return "on " + ShortName(s.Data) + " " + say
	case several:
		return "with " + s.Data + " " + say
	}
	return say
}

// steps says how each column changes along the configurations.
func (p *Picture) steps(sets []PictureSet) string {
	var say []string
	for c, name := range p.Columns {
		var sides, texts []string
		for i := range sets {
			if sets[i].Published {
				continue
			}
			for _, x := range p.points(c, &sets[i]) {
				sides, texts = append(sides, x.label), append(texts, x.Quantity())
			}
		}
		if len(sides) > 0 {
			say = append(say, name+" "+History(Spans(sides, texts)))
		}
	}
	if len(say) == 0 {
		return ""
	}
	return p.Title + ": " + strings.Join(firstOf(say), " · ")
}
