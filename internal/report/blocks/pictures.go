package blocks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// drawn is what the page's script draws a picture of a study from. Figures are in base units; null
// is what cannot be said.
type drawn struct {
	By       string     `json:"by,omitempty"` // the key along the axis
	Numeric  bool       `json:"numeric,omitempty"`
	Unit     string     `json:"unit"`
	Columns  []string   `json:"columns,omitempty"`
	Roofline int        `json:"roofline"` // a column, or −1
	Bounds   []bound    `json:"bounds,omitempty"`
	Sets     []drawnSet `json:"sets,omitempty"`
	Compact  bool       `json:"compact,omitempty"` // on a card
	Sorted   bool       `json:"sorted,omitempty"`  // by its ratios, unless the reader wants its names in their order
	Evidence any        `json:"evidence,omitempty"`
}

type bound struct {
	Claim string `json:"claim"`
	Lo    digits `json:"lo"`
	Hi    digits `json:"hi"`
}

type drawnSet struct {
	set
	Rows []drawnRow `json:"rows"`
}

type drawnRow struct {
	Label string       `json:"label"` // as shown
	Value string       `json:"value"` // of the key, as in the benchmark's name
	Cells []*[4]digits `json:"cells"` // value, lo, hi, rounds; parallel to the columns
}

// digits is a number with five digits; what is not finite is null.
type digits float64

// MarshalJSON implements json.Marshaler.
func (n digits) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 5, 64), nil
}

// A drawing is a picture, and what it is of.
type drawing struct {
	picture         *document.Picture
	kind, title, by string
}

// merged is one picture of all runs that have it.
type merged struct {
	figures.Picture
	keys []int // of each of Sets, its data set
}

// pictures merges the pictures of a study's runs: those of the same kind, title and key are one.
func (v *view) pictures(parts []part) (out []drawing) {
	var all []*merged
	for _, part := range parts {
		for _, x := range part.study.Pictures {
			at := slices.IndexFunc(all, func(m *merged) bool {
				return m.Kind == x.Kind && m.Title == x.Title && m.By == x.By
			})
			if at < 0 {
				m := &merged{Picture: x}
				m.Columns, m.Sets = slices.Clone(x.Columns), nil
				all, at = append(all, m), len(all)
			}
			all[at].add(v, part.run, x)
		}
	}
	for _, m := range all {
		m.sort()
		out = append(out, drawing{v.draw(m), m.Kind, m.Title, m.By})
	}
	return out
}

// sort puts the runs' data sets before the published ones.
func (m *merged) sort() {
	order := make([]int, len(m.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.keys[a], m.keys[b]) })
	sets, keys := m.Sets, m.keys
	m.Sets, m.keys = nil, nil
	for _, i := range order {
		m.Sets, m.keys = append(m.Sets, sets[i]), append(m.keys, keys[i])
	}
}

// add takes the data sets of another run's picture: their columns by name.
func (m *merged) add(v *view, run int, x figures.Picture) {
	m.Busy = m.Busy || x.Busy
	place := make([]int, len(x.Columns))
	for i, c := range x.Columns {
		at := slices.Index(m.Columns, c)
		if at < 0 {
			m.Columns, at = append(m.Columns, c), len(m.Columns)
		}
		place[i] = at
	}
	for _, s := range x.Sets {
		key := v.at(run, s.Data, s.Published)
		if key < 0 || slices.Contains(m.keys, key) {
			continue // a published set is in every run's picture
		}
		t := s
		t.Rows = nil
		for _, r := range s.Rows {
			row := figures.Row{Label: r.Label}
			for i, f := range r.Cells {
				row.Cells = wide(row.Cells, place[i]+1)
				row.Cells[place[i]] = f
			}
			t.Rows = append(t.Rows, row)
		}
		m.Sets, m.keys = append(m.Sets, t), append(m.keys, key)
	}
	for i := range m.Sets { // columns that came later
		for j := range m.Sets[i].Rows {
			r := &m.Sets[i].Rows[j]
			r.Cells = wide(r.Cells, len(m.Columns))
		}
	}
}

// wide returns cells, at least n of them.
func wide(cells []figures.Figure, n int) []figures.Figure {
	for len(cells) < n {
		cells = append(cells, figures.NoFigure())
	}
	return cells
}

// draw returns a picture with the table of its figures.
func (v *view) draw(m *merged) *document.Picture {
	d := &drawn{By: m.By, Numeric: m.Numeric(), Columns: m.Columns, Roofline: m.Roofline}
	for _, b := range m.Bounds {
		d.Bounds = append(d.Bounds, bound{b.Claim, digits(b.Lo), digits(b.Hi)})
	}
	odd := 0
	for i, s := range m.Sets {
		x := drawnSet{set: v.sets[m.keys[i]]}
		for _, r := range s.Rows {
			row := drawnRow{Label: figures.Label(m.By, r.Label), Value: r.Label}
			for _, f := range r.Cells {
				var cell *[4]digits
				switch {
				case drawable(f.Value):
					cell = &[4]digits{digits(f.Value), digits(f.Lo), digits(f.Hi), digits(f.N)}
				case f.Known():
					odd++
				}
				row.Cells = append(row.Cells, cell)
				if d.Unit == "" && f.Known() {
					d.Unit = f.Unit
				}
			}
			x.Rows = append(x.Rows, row)
		}
		d.Sets = append(d.Sets, x)
	}
	out := &document.Picture{Kind: document.PictureKind(m.Kind), Says: document.Say(m.Sentence()), Title: given(m.Title),
		Data: d, Table: v.figures(m)}
	for i, s := range m.Sets {
		for _, n := range s.Notes {
			out.Notes = append(out.Notes, document.Say(v.sets[m.keys[i]].Label, ": ", n))
		}
	}
	if m.LeftOut > 0 {
		out.Notes = append(out.Notes, document.Say(fmt.Sprintf("%d more series are not drawn: they stand in the table "+
			"of all cases", m.LeftOut)))
	}
	if odd > 0 {
		out.Notes = append(out.Notes, document.Say(fmt.Sprintf("%d figures are negative or out of range and are not "+
			"drawn: is the file damaged?", odd)))
	}
	return out
}

// drawable reports whether a figure has a place on an axis: damage can be negative, or beyond all
// measure.
func drawable(v figures.Number) bool { return v == 0 || v > 1e-30 && v < 1e30 }

// figures returns the same figures as text: for each data set the columns that have any figure. Of a
// picture by toolchain, data sets are the rows.
func (v *view) figures(m *merged) *document.Table {
	t := figures.Table{By: m.By}
	at := map[string]int{} // of each label, its row
	for i, s := range m.Sets {
		label := v.sets[m.keys[i]].Label
		if m.By == language.ByToolchain {
			t.Columns = m.Columns
			for _, r := range s.Rows {
				t.Rows = append(t.Rows, figures.Row{Label: label, Cells: r.Cells})
			}
			continue
		}
		for c, head := range m.Columns {
			if !slices.ContainsFunc(s.Rows, func(r figures.Row) bool { return r.Cells[c].Known() || r.Cells[c].Note != "" }) {
				continue
			}
			if len(m.Sets) > 1 {
				head = label + ": " + head
			}
			t.Columns = append(t.Columns, head)
			for _, r := range s.Rows {
				if _, known := at[r.Label]; !known {
					at[r.Label] = len(t.Rows)
					t.Rows = append(t.Rows, figures.Row{Label: r.Label})
				}
				row := &t.Rows[at[r.Label]]
				row.Cells = append(wide(row.Cells, len(t.Columns)-1)[:len(t.Columns)-1], r.Cells[c])
			}
		}
	}
	for i := range t.Rows {
		t.Rows[i].Cells = wide(t.Rows[i].Cells, len(t.Columns))
	}
	slices.SortStableFunc(t.Rows, func(a, b figures.Row) int { return figures.CompareLabels(a.Label, b.Label) })
	return figuresTable(t, figures.Figure.String)
}

// compared draws a study's answers against each other. The table behind is that of the comparison: all
// cases, with their times.
func (v *view) compared(name string) (out []drawing) {
	for i := range v.comparisons {
		x := &v.comparisons[i]
		if x.Study != name {
			continue
		}
		m := &merged{Picture: x.Picture}
		m.Sets = nil
		for i, s := range x.Picture.Sets {
			if key := v.at(x.Runs[i], s.Data, false); key >= 0 {
				m.Sets, m.keys = append(m.Sets, s), append(m.keys, key)
			}
		}
		d := v.draw(m)
		d.Table, d.Title = compared(x, document.Frame{}), given(x.Table.Title)
		d.Table.Title = nil
		out = append(out, drawing{d, m.Kind, m.Title, m.By})
	}
	return out
}

// evidence returns the pictures of the evidence, one of each kind for each run of a study.
func (v *view) evidence(s *section) (out []*document.Picture) {
	for _, x := range s.parts {
		e := x.study.Evidence
		if e == nil {
			continue
		}
		where, several := "", len(x.answer.Arms) > 1
		if len(s.parts) > 1 {
			where = " · " + v.machineName(x.run)
		}
		add := func(kind document.PictureKind, title, says string, data any, t *document.Table) *document.Picture {
			d := &document.Picture{Kind: kind, Title: given(title + where), Says: document.Say(says),
				Data: &drawn{Roofline: -1, Evidence: data}, Table: t}
			out = append(out, d)
			return d
		}
		if t := e.Timeline; len(t.Points) > 0 {
			var copies []result.Copy // the cases that were measured against their own copies
			for _, n := range x.answer.NoiseFloor {
				copies = append(copies, result.Copy{Case: n.Case, Spread: float64(n.Spread)})
			}
			data, table := timeline(t)
			add("timeline", "Round by round", t.Sentence(copies, x.answer.Rounds, x.answer.Excluded()), data, table)
		}
		if len(e.Strips) > 0 {
			data, table := strips(e.Strips, several, func(arm string) string { return v.label(x.run, arm) })
			d := add("strips", "Process by process", e.StripsSentence(), data, table)
			if e.MoreCases > 0 {
				d.Notes = append(d.Notes, document.Say(fmt.Sprintf("%d more cases vary less and are not drawn", e.MoreCases)))
			}
		}
		if len(e.Narrowing) > 0 {
			data, table := narrowing(e.Narrowing, several)
			add("narrowing", "How the intervals narrowed", e.NarrowingSentence(), data, table)
		}
	}
	return out
}

func times(x float64) string { return units.Quantity(x, "") }

func timeline(all result.Timeline) (any, *document.Table) {
	type double struct {
		Case   string      `json:"case"`
		Points [][2]digits `json:"points"` // round, ratio
	}
	type disturbed struct {
		Round  int    `json:"round"`
		Reason string `json:"reason"`
	}
	d := struct {
		PerPoint  int         `json:"perPoint"`
		Points    [][4]digits `json:"points"` // round, lo, mid, hi
		Doubles   []double    `json:"doubles"`
		Disturbed []disturbed `json:"disturbed"`
	}{PerPoint: all.PerPoint, Doubles: []double{}, Disturbed: []disturbed{}}
	t := table(nil, "round", "10th percentile", "median", "90th percentile", "rule for exclusion met by")
	for _, m := range all.Points {
		d.Points = append(d.Points, [4]digits{digits(m.Round), digits(m.Lo), digits(m.Mid), digits(m.High)})
		why := ""
		for _, x := range all.Disturbed {
			if x.Round == m.Round {
				why = fmt.Sprintf("%s while %s ran (%s)", x.Reason, x.Side, units.Plural(x.Count, "comparison"))
			}
		}
		addGiven(t, fmt.Sprint(m.Round), times(m.Lo), times(m.Mid), times(m.High), why)
	}
	for _, l := range all.Doubles {
		x := double{Case: l.Case}
		for i, r := range l.Rounds {
			x.Points = append(x.Points, [2]digits{digits(r), digits(l.Ratios[i])})
		}
		d.Doubles = append(d.Doubles, x)
	}
	for _, x := range all.Disturbed {
		d.Disturbed = append(d.Disturbed, disturbed{x.Round, x.Reason + " while " + x.Side + " ran"})
	}
	return d, t
}

func strips(all []result.Strip, several bool, label func(string) string) (any, *document.Table) {
	type strip struct {
		Case   string   `json:"case"`
		Median digits   `json:"median"`
		N      int      `json:"n"`
		Ratios []digits `json:"ratios"`
		Groups []digits `json:"groups,omitempty"` // the two centres over the median
	}
	var data []strip
	t := table(nil, "case", "config", "processes", "median", "fastest", "slowest", "two speeds")
	for _, s := range all {
		d := strip{Case: s.Case, Median: digits(s.Median), N: s.N}
		if several {
			d.Case += " · " + s.Arm
		}
		for _, r := range s.Ratios {
			d.Ratios = append(d.Ratios, digits(r))
		}
		two := "no"
		if s.N < 12 {
			two = "too few processes"
		}
		if g := s.Groups; g != nil {
			d.Groups = []digits{digits(g.Centres[0] / s.Median), digits(g.Centres[1] / s.Median)}
			two = fmt.Sprintf("%d at %s, %d at %s", g.Low, units.Quantity(g.Centres[0], "sec/op"), s.N-g.Low,
				units.Quantity(g.Centres[1], "sec/op"))
		}
		data = append(data, d)
		addGiven(t, s.Case, label(s.Arm), fmt.Sprint(s.N), units.Quantity(s.Median, "sec/op"), times(s.Ratios[0]),
			times(s.Ratios[len(s.Ratios)-1]), two)
	}
	return data, t
}

func narrowing(all []result.Narrowing, several bool) (any, *document.Table) {
	type narrow struct {
		Label  string      `json:"label"`
		Points [][3]digits `json:"points"` // rounds, lo, hi
	}
	var data []narrow
	t := table(nil, "ratio", "config", "first interval", "after", "last interval", "after", "rests on")
	for _, x := range all {
		label := x.Label
		if key, value, ok := strings.Cut(x.Label, "="); ok && key == "size" {
			label = figures.Label(key, value)
		}
		d := narrow{Label: label, Points: [][3]digits{}}
		if several {
			d.Label += " · " + x.Arm
		}
		for i, r := range x.Rounds {
			d.Points = append(d.Points, [3]digits{digits(r), digits(x.Lo[i]), digits(x.Hi[i])})
		}
		data = append(data, d)
		n := len(x.Rounds)
		if n == 0 {
			addGiven(t, label, x.Arm, "none yet", "", "", "", "")
			continue
		}
		iv := func(i int) string { return times(x.Lo[i]) + " to " + times(x.Hi[i]) }
		rounds := func(i int) string { return fmt.Sprintf("%d rounds", x.Rounds[i]) }
		addGiven(t, label, x.Arm, iv(0), rounds(0), iv(n-1), rounds(n-1),
			cmp.Or(result.EvidenceRests(x.Rests), "independent rounds"))
	}
	return data, t
}
