package blocks

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// notMeasured stands where a means has no figure at a size.
const notMeasured = "·"

// mostMeans is how many means a terminal shows.
const mostMeans = 14

// anchors are the sizes that a table has before others: a page, where the read-out of the page
// starts, and what no cache of one core holds.
var anchors = []int64{4 << 10, 64 << 10, 1 << 20}

// axis adds the cost of a block by every means, and from which size one is cheaper than another.
func (r *Report) axis(d *document.Document) {
	a := r.Front.Axis
	if a == nil || len(a.Means) == 0 || len(a.Sizes) == 0 {
		return
	}
	t := axisTable{Axis: a, names: result.Labels(r.Answers)}
	table := t.table()
	crossings := crossings(a)
	terminal := *table
	terminal.On = document.Terminal
	d.Add(&terminal, &document.Sentence{Frame: document.Frame{Rank: 1, Inset: 2, Most: 4, Least: 4, On: document.Terminal}, Flow: true,
		Text: document.As(document.Faint, t.legend(true))})
	fold := &document.Fold{Frame: document.Frame{Rank: 5, On: document.Markdown},
		Head: document.Say("Time per block, by every means")}
	if say := t.legend(false); say != "" {
		fold.Add(&document.Sentence{Text: document.Say(say)})
	}
	fold.Add(table)
	if len(crossings.Blocks) > 0 {
		fold.Add(crossings)
		terminal := *crossings
		terminal.On = document.Terminal
		d.Add(&terminal)
	}
	d.Add(fold)
}

// crossings say from which size one means is cheaper than another: what is decided first.
func crossings(a *answer.Axis) *document.Group {
	g := &document.Group{Frame: document.Frame{Rank: 4, Good: 2, Least: 1, Inset: 2}}
	for _, decided := range []bool{true, false} {
		for _, c := range a.Crossings {
			if c.Decided != decided || len(c.Says) == 0 {
				continue
			}
			v := document.Undecided
			if decided {
				v = document.Holds
			}
			g.Add(&document.Sentence{Item: true, Text: document.Text{v.Glyph()}.Said(" ").And(said(c.Says))})
		}
	}
	return g
}

// An axisTable is the axis while it is made a table.
type axisTable struct {
	*answer.Axis
	names   []string // of the answers
	page    bool
	means   []answer.Mean
	flagged bool
}

// table has a row for each of the means, with those of the run here first, and a column for each size.
func (t *axisTable) table() *document.Table {
	for _, here := range []bool{true, false} {
		for _, m := range t.Means {
			if (m.Run == 0 && !m.Published) == here {
				t.means = append(t.means, m)
			}
		}
	}
	out := table(nil, "time per block", "what is measured")
	out.Frame, out.LeftOut = document.Frame{Class: "curves", Rank: 1, Gap: 3, Good: 8, Least: 5, Most: mostMeans}, -1
	out.Columns[0].Most, out.Columns[1].Kind, out.Columns[1].On = 26, document.Prose, document.Page
	if t.page {
		out.Title, out.LeftOut, out.Most = document.Say("What each curve is, with figures"), 0, 0
	}
	for i, drop := range t.drops() {
		out.Columns = append(out.Columns, document.Column{Head: units.Bytes(t.Sizes[i]), Drop: drop})
	}
	if t.Ratio != nil && out.Most > 0 {
		out.Most++
	}
	ranks := t.ranks()
	pair := 0
	for i, m := range t.means {
		label := document.Span{Text: t.label(m, false), Short: t.label(m, true)}
		cells := []document.Text{{label}, means(m)}
		for _, size := range t.Sizes {
			cells = append(cells, t.cell(m.Points, size, false))
		}
		row := out.Add(cells...)
		row.Class, row.Rank = m.Family, ranks[i]
		if r := t.Ratio; r != nil && (m.Key == r.Num || m.Key == r.Den) {
			if pair++; pair == 2 {
				out.Rows = append(out.Rows, t.ratio(ranks[i]))
			}
		}
	}
	return out
}

// means says what exactly a curve is of.
func means(m answer.Mean) document.Text {
	var say []string
	if m.StandIn {
		say = append(say, "a stand-in")
	}
	for _, s := range []string{m.Note, m.Ends} {
		if s = strings.TrimSuffix(s, "."); s != "" {
			say = append(say, s)
		}
	}
	text := document.Say(strings.Join(say, "; "))
	if m.Study != "" {
		text = text.And(document.As(document.Faint, " study "+m.Study))
	}
	return text
}

// ratio is the row of the ratio of two means, below them.
func (t *axisTable) ratio(rank int) document.Row {
	cells := []document.Text{document.Say(strings.Repeat(" ", 2) + t.Ratio.Label), nil}
	for _, size := range t.Sizes {
		cells = append(cells, t.cell(t.Ratio.Points, size, true))
	}
	return document.Row{Cells: cells, Rank: rank}
}

// cell is the figure of a means at a size, and † where there is a reservation: on the page with its
// interval, else behind its bar, and of a ratio without one.
func (t *axisTable) cell(points []answer.Point, size int64, ratio bool) document.Text {
	p := at(points, size)
	if p == nil {
		return document.As(document.Faint, notMeasured)
	}
	flag := ""
	if p.Flag != "" {
		flag, t.flagged = "†", true
	}
	v := float64(p.Figure.Value)
	switch {
	case t.page:
		return p.Figure.Text().Said(strings.TrimSuffix(" "+flag, " "))
	case ratio:
		return document.As(document.Strong, digits(v)+"×")
	}
	return document.Text{{Kind: document.Bar, Level: level(v)}, {Kind: document.Number, Text: duration(v) + flag}}
}

// at returns the point at a size that has a figure; nil where there is none.
func at(points []answer.Point, size int64) *answer.Point {
	i := slices.IndexFunc(points, func(p answer.Point) bool { return p.Size == size })
	if i < 0 || !(points[i].Figure.Value > 0) || math.IsInf(float64(points[i].Figure.Value), 0) {
		return nil
	}
	return &points[i]
}

// label names a means: its run or configuration stands with it where there are several.
func (t *axisTable) label(m answer.Mean, short bool) string {
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
		if o.Key == m.Key && o.Run == m.Run && o.Data != m.Data && !o.Published {
			return label + ", " + m.Data
		}
	}
	return label
}

// drops returns in which order the sizes are left out where there is no room for all: the anchors
// stay longest, then those that are far from the others and that many means have.
func (t *axisTable) drops() []int {
	var chosen []int
	for _, a := range anchors {
		if i := slices.Index(t.Sizes, a); i >= 0 {
			chosen = append(chosen, i)
		}
	}
	for len(chosen) < len(t.Sizes) {
		best, far := -1, -1.0
		for i := range t.Sizes {
			if d := t.distance(i, chosen); !slices.Contains(chosen, i) && d > far {
				best, far = i, d
			}
		}
		chosen = append(chosen, best)
	}
	out := make([]int, len(t.Sizes))
	for n, i := range chosen {
		out[i] = n + 1
	}
	return out
}

// distance says how much a size adds to the chosen ones: how far it is from them, times how
// many means have it.
func (t *axisTable) distance(i int, chosen []int) float64 {
	count := 0
	for _, m := range t.means {
		if at(m.Points, t.Sizes[i]) != nil {
			count++
		}
	}
	d := 10.0
	for _, c := range chosen {
		d = min(d, math.Abs(math.Log2(float64(t.Sizes[i])/float64(t.Sizes[c]))))
	}
	return d * float64(count)
}

// ranks returns the order in which the means are kept where there is no room: the two of the
// ratio, one of each family, then the others; another run's last.
func (t *axisTable) ranks() []int {
	var keep []int
	add := func(fits func(m answer.Mean) bool) {
		for i, m := range t.means {
			if !slices.Contains(keep, i) && fits(m) {
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
	out := make([]int, len(t.means))
	for rank, i := range keep {
		out[i] = rank
	}
	return out
}

// legend says what is timed, and what the signs mean; bars are a terminal's.
func (t *axisTable) legend(bars bool) string {
	var say []string
	if t.What != "" {
		say = append(say, capital(t.What))
	}
	if bars {
		signs := "· not measured. A bar is the power of ten of its time, ▁ below 10 ns to █ from 10 ms on: it tells no " +
			"times of one power apart"
		if t.flagged {
			signs += "; † with a reservation (--long)"
		}
		if left := len(t.means) - mostMeans; left > 0 {
			signs += fmt.Sprintf("; %d more curves stand on the page", left)
		}
		say = append(say, signs+".")
	} else if t.flagged {
		say = append(say, "† with a reservation.")
	}
	if t.Note != "" {
		say = append(say, capital(t.Note))
	}
	return strings.Join(say, " ")
}

// capital returns a text with a capital at its beginning and a full stop at its end.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + strings.TrimSuffix(s[n:], ".") + "."
}

// level returns the step of a bar for a time: the lowest up to 10 ns, the highest from 10 ms on.
func level(seconds float64) int {
	at := int(math.Floor(math.Log10(two(seconds)) + 9 + 1e-9))
	return min(max(at, 0), 7) + 1
}

// two rounds to two significant digits.
func two(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// digits formats a number with two significant digits: "1.3", "280".
func digits(v float64) string {
	v = two(v)
	if a := math.Abs(v); a >= 1e6 || a < 1e-4 && a > 0 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	places := 0
	if v != 0 {
		places = max(1-int(math.Floor(math.Log10(math.Abs(v))+1e-9)), 0)
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// duration formats seconds with two significant digits: "1.3 ns", "280 µs".
func duration(seconds float64) string {
	scale, unit := 1.0, "s"
	for _, u := range []struct {
		scale float64
		unit  string
	}{{1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
		if two(seconds) >= scale*(1-1e-9) {
			break
		}
		scale, unit = u.scale, u.unit
	}
	return digits(seconds/scale) + " " + unit
}

// picture returns the key picture of a study; nil where it has none, or where it is the list of
// the cases, which stands below.
func (r *Report) picture(s *answer.Study) *figures.Picture {
	_, x := ofCard(r.Answers, s)
	if x == nil || s.Key < 0 || s.Key >= len(x.Pictures) || !x.Pictures[s.Key].HasFigures() {
		return nil
	}
	if p := &x.Pictures[s.Key]; p.By != "case" || !listed(x) {
		return p
	}
	return nil
}

// picture shows the key picture of a study as figures: places across where they are numbers, one
// below the other where they are names.
func picture(p *figures.Picture) document.Block {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.Sets, func(s figures.PictureSet) bool { return !s.Published })
	if i < 0 || len(p.Sets[i].Rows) == 0 {
		return nil
	}
	rows := p.Sets[i].Rows
	t := figuresTable(figures.Table{Title: p.Title, By: p.By, Columns: p.Columns, Rows: rows}, figures.Figure.String)
	t.Frame = document.Frame{Rank: 2, Gap: 3, Good: 14, Least: 4, On: document.Terminal}
	for i := range p.Columns {
		t.Columns[1+i].Drop = i
	}
	if p.Numeric() && len(rows) > 1 {
		across := table(t.Title, p.By)
		across.Frame, across.Bare = t.Frame, 5
		for n, drop := range spread(len(rows)) {
			across.Columns = append(across.Columns, document.Column{Head: figures.Label(p.By, rows[n].Label), Drop: drop})
		}
		for col, name := range p.Columns {
			cells := []document.Text{given(name)}
			for _, r := range t.Rows {
				cells = append(cells, r.Cells[1+col])
			}
			across.Add(cells...)
		}
		t = across
	}
	t.Columns[0].Most = 34
	return t
}

// spread returns in which order n places are left out so that those that stay lie evenly: the
// ends stay longest, then the middle, then the middles of the halves.
func spread(n int) []int {
	out := make([]int, n)
	next := 1
	take := func(i int) {
		if out[i] == 0 {
			out[i], next = next, next+1
		}
	}
	take(0)
	take(n - 1)
	for step := 2; next <= n; step *= 2 {
		for k := 1; k < step; k += 2 {
			take(k * (n - 1) / step)
		}
		if step > n {
			for i := range n {
				take(i)
			}
		}
	}
	return out
}
