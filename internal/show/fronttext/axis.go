package fronttext

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
)

// notMeasured stands where a means has no figure at a size.
const notMeasured = "·"

// anchors are the sizes that a table has before others: a page, where the read-out of the page
// starts, and what no cache of one core holds.
var anchors = []int64{4 << 10, 64 << 10, 1 << 20}

// An axisTable is the axis while it is laid out.
type axisTable struct {
	*answer.Axis
	names  []string // of the answers
	means  []answer.Mean
	values [][]string // of each of the means, by size, with its bar
	ratios []string   // by size
	label  int        // the width of the first column
	widths []int      // of the values, by size
}

// newAxisTable reads the figures of the means: those of the run here first.
func newAxisTable(a *answer.Axis, names []string, width int) *axisTable {
	t := &axisTable{Axis: a, names: names, widths: make([]int, len(a.Sizes))}
	for _, here := range []bool{true, false} {
		for _, m := range a.Means {
			if (m.Run == 0 && !m.Published) == here {
				t.means = append(t.means, m)
			}
		}
	}
	for _, m := range t.means {
		values := make([]string, len(a.Sizes))
		for i, size := range a.Sizes {
			values[i] = pointText(m.Points, size, duration)
			if v := strings.TrimSuffix(values[i], "†"); v != notMeasured {
				t.widths[i] = max(t.widths[i], columns(values[i])+len("b "))
			}
		}
		t.values = append(t.values, values)
	}
	for i, size := range a.Sizes {
		ratio := notMeasured
		if a.Ratio != nil {
			ratio = pointText(a.Ratio.Points, size, func(v float64) string { return digits(v) + "×" })
		}
		t.ratios = append(t.ratios, ratio)
		t.widths[i] = max(t.widths[i], columns(ratio), len(units.Bytes(size)))
	}
	t.setLabels(width)
	return t
}

// pointText returns the figure at a size in words, with † where there is a reservation.
func pointText(points []answer.Point, size int64, say func(float64) string) string {
	at := slices.IndexFunc(points, func(p answer.Point) bool { return p.Size == size })
	if at < 0 || !(points[at].Figure.Value > 0) || math.IsInf(float64(points[at].Figure.Value), 0) {
		return notMeasured
	}
	s := say(float64(points[at].Figure.Value))
	if points[at].Flag != "" {
		s += "†"
	}
	return s
}

// labelOf names a means: its run or configuration stands with it where there are several.
func (t *axisTable) labelOf(m answer.Mean, short bool) string {
	label := m.Label
	if short && m.Short != "" {
		label = m.Short
	}
	switch {
	case m.Published:
		return label + ", " + figures.ShortName(m.Data)
	case m.Run > 0 && m.Run < len(t.names):
		return label + ", " + t.names[m.Run]
	}
	for _, o := range t.means {
		if o.Key == m.Key && o.Run == m.Run && o.Data != m.Data {
			return label + ", " + m.Data
		}
	}
	return label
}

// setLabels chooses the width of the first column.
func (t *axisTable) setLabels(width int) {
	const narrow, most = 70, 26
	for _, m := range t.means {
		t.label = max(t.label, columns(shortened(t.labelOf(m, width < narrow), most)))
	}
	if t.Ratio != nil {
		t.label = max(t.label, gap+min(columns(t.Ratio.Label), most))
	}
	t.label = min(t.label, max(width/3, 14))
}

// sizes chooses the sizes that a width has room for: the anchors, then those that are far from
// the chosen ones and that many means have.
func (t *axisTable) sizes(width int) []int {
	room := width - t.label
	var chosen []int
	take := func(i int) {
		if w := t.widths[i] + gap; w <= room {
			chosen, room = append(chosen, i), room-w
		}
	}
	for _, a := range anchors {
		if i := slices.Index(t.Sizes, a); i >= 0 {
			take(i)
		}
	}
	for len(chosen) < len(t.Sizes) {
		best, far := -1, -1.0
		for i := range t.Sizes {
			if d := t.distance(i, chosen); !slices.Contains(chosen, i) && t.widths[i]+gap <= room && d > far {
				best, far = i, d
			}
		}
		if best < 0 {
			break
		}
		take(best)
	}
	slices.Sort(chosen)
	return chosen
}

// distance says how much a size adds to the chosen ones: how far it is from them, times how
// many means have it.
func (t *axisTable) distance(i int, chosen []int) float64 {
	count := 0
	for _, values := range t.values {
		if values[i] != notMeasured {
			count++
		}
	}
	d := 10.0
	for _, c := range chosen {
		d = min(d, math.Abs(math.Log2(float64(t.Sizes[i])/float64(t.Sizes[c]))))
	}
	return d * float64(count)
}

// order returns the means in the order in which they are kept where there is no room: the two
// of the ratio, one of each family, then the others; another run's last.
func (t *axisTable) order() []int {
	var keep []int
	add := func(fits func(m answer.Mean) bool) {
		for i, m := range t.means {
			if fits(m) && !slices.Contains(keep, i) {
				keep = append(keep, i)
			}
		}
	}
	own := func(m answer.Mean) bool { return m.Run == 0 && !m.Published }
	if r := t.Ratio; r != nil {
		add(func(m answer.Mean) bool { return own(m) && (m.Key == r.Num || m.Key == r.Den) })
	}
	seen := map[string]bool{}
	add(func(m answer.Mean) bool {
		if !own(m) || m.Family == "floor" || seen[m.Family] {
			return false
		}
		seen[m.Family] = true
		return true
	})
	add(func(m answer.Mean) bool { return own(m) && m.Family != "floor" })
	add(own)
	add(func(answer.Mean) bool { return true })
	return keep
}

// axisSection lays out at most so many means of the axis; nil where there is none.
func axisSection(a *answer.Axis, names []string, width, most int) *section {
	if a == nil || len(a.Means) == 0 || len(a.Sizes) == 0 {
		return nil
	}
	t := newAxisTable(a, names, width)
	sizes := t.sizes(width)
	shown := t.order()
	left := max(len(shown)-most, 0)
	shown = shown[:len(shown)-left]
	slices.Sort(shown)
	s := &section{head: []line{t.header(sizes, width)}, rank: 1, gap: 3}
	pair := 0
	for _, i := range shown {
		s.rows = append(s.rows, row{line: t.row(i, sizes, width)})
		if r := t.Ratio; r != nil && (t.means[i].Key == r.Num || t.means[i].Key == r.Den) {
			if pair++; pair == 2 {
				s.rows = append(s.rows, row{line: t.ratioRow(sizes, width)})
			}
		}
	}
	s.tail = t.legend(shown, sizes, left, width)
	s.good, s.least = min(len(s.rows), 8), min(len(s.rows), 5)
	return s
}

func (t *axisTable) header(sizes []int, width int) line {
	by := "time per block"
	if len(by) > t.label {
		by = "size"
	}
	l := painted(pretty.Faint, by).cut(t.label).filled(t.label)
	for _, i := range sizes {
		l = append(l, painted(pretty.Faint, units.Bytes(t.Sizes[i])).after(t.widths[i]+gap)...)
	}
	return l.cut(width)
}

func (t *axisTable) row(i int, sizes []int, width int) line {
	m := t.means[i]
	color := familyColor[m.Family]
	label := shortened(t.labelOf(m, columns(t.labelOf(m, false)) > t.label), t.label)
	l := line{{label, color}}.filled(t.label)
	for _, at := range sizes {
		v := t.values[i][at]
		if v == notMeasured {
			l = append(l, painted(pretty.Faint, v).after(t.widths[at]+gap)...)
			continue
		}
		p := m.Points[slices.IndexFunc(m.Points, func(p answer.Point) bool { return p.Size == t.Sizes[at] })]
		l = append(l, span{text: spaces(gap)}, paint(color, bar(float64(p.Figure.Value))))
		l = append(l, said(v).after(t.widths[at]-1)...)
	}
	return l.cut(width)
}

func (t *axisTable) ratioRow(sizes []int, width int) line {
	l := said("  " + t.Ratio.Label).cut(t.label).filled(t.label)
	for _, i := range sizes {
		l = append(l, painted(pretty.Bold, t.ratios[i]).after(t.widths[i]+gap)...)
	}
	return l.cut(width)
}

// mostLegend is how many lines the legend takes at most.
const mostLegend = 4

// sentenceOf returns a text with a capital at its beginning and a full stop at its end.
func sentenceOf(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + strings.TrimSuffix(s[n:], ".") + "."
}

// legend says what the signs mean that the shown means have at the shown sizes, what is timed,
// and how many means are left out.
func (t *axisTable) legend(shown, sizes []int, left, width int) []line {
	say := "· not measured. Each step of a bar is a factor of ten"
	if slices.ContainsFunc(shown, func(i int) bool {
		return slices.ContainsFunc(sizes, func(at int) bool { return strings.HasSuffix(t.values[i][at], "†") })
	}) {
		say += "; † with a reservation (--long)"
	}
	if left > 0 {
		say += fmt.Sprintf("; %d more curves stand on the page", left)
	}
	if t.What != "" {
		say = sentenceOf(t.What) + " " + say
	}
	if t.Note != "" {
		say += ". " + strings.TrimSuffix(sentenceOf(t.Note), ".")
	}
	return indentedAll(few(painted(pretty.Faint, say+".").wrapped(width-gap, 0), mostLegend, width-gap), gap)
}
