package blocks

import (
	"cmp"
	"fmt"
	"slices"

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
	Claim string        `json:"claim"`
	Lo    figures.Drawn `json:"lo"`
	Hi    figures.Drawn `json:"hi"`
}

type drawnSet struct {
	set
	Rows []drawnRow `json:"rows"`
}

type drawnRow struct {
	Label string              `json:"label"` // as shown
	Value string              `json:"value"` // of the key, as in the benchmark's name
	Cells []*[4]figures.Drawn `json:"cells"` // value, lo, hi, rounds; parallel to the columns
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
			for i, f := range r.Cells {
				t.Rows = figures.Put(t.Rows, r.Label, place[i], f)
			}
		}
		m.Sets, m.keys = append(m.Sets, t), append(m.keys, key)
	}
	for i := range m.Sets { // columns that came later
		figures.Fill(m.Sets[i].Rows, len(m.Columns))
	}
}

// draw returns a picture with the table of its figures.
func (v *view) draw(m *merged) *document.Picture {
	d := &drawn{By: m.By, Numeric: m.Numeric(), Columns: m.Columns, Roofline: m.Roofline}
	for _, b := range m.Bounds {
		d.Bounds = append(d.Bounds, bound{b.Claim, figures.Drawn(b.Lo), figures.Drawn(b.Hi)})
	}
	odd := 0
	for i, s := range m.Sets {
		x := drawnSet{set: v.sets[m.keys[i]]}
		for _, r := range s.Rows {
			row := drawnRow{Label: figures.Label(m.By, r.Label), Value: r.Label}
			for _, f := range r.Cells {
				var cell *[4]figures.Drawn
				switch {
				case drawable(f.Value):
					cell = &[4]figures.Drawn{figures.Drawn(f.Value), figures.Drawn(f.Lo), figures.Drawn(f.Hi), figures.Drawn(f.N)}
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
				t.Rows = figures.Put(t.Rows, r.Label, len(t.Columns)-1, r.Cells[c])
			}
		}
	}
	figures.Fill(t.Rows, len(t.Columns))
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
		where := ""
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
			add("timeline", "Round by round", t.Sentence(x.answer.NoiseFloor, x.answer.Rounds, x.answer.Excluded()), t,
				timeline(t))
		}
		if len(e.Strips) > 0 {
			d := add("strips", "Process by process", e.StripsSentence(), e.Strips, v.strips(x, e.Strips))
			if e.MoreCases > 0 {
				d.Notes = append(d.Notes, document.Say(fmt.Sprintf("%d more cases vary less and are not drawn", e.MoreCases)))
			}
		}
		if len(e.Narrowing) > 0 {
			add("narrowing", "How the intervals narrowed", e.NarrowingSentence(), e.Narrowing, narrowing(e.Narrowing))
		}
	}
	return out
}

func times[T ~float64](x T) string { return units.Quantity(float64(x), "") }

func timeline(all result.Timeline) *document.Table {
	t := table(nil, "round", "10th percentile", "median", "90th percentile", "rule for exclusion met by")
	for _, m := range all.Points {
		why := ""
		for _, x := range all.Disturbed {
			if x.Round == int(m[0]) {
				why = fmt.Sprintf("%s (%s)", x.Reason, units.Plural(x.Count, "comparison"))
			}
		}
		addGiven(t, fmt.Sprint(m[0]), times(m[1]), times(m[2]), times(m[3]), why)
	}
	return t
}

func (v *view) strips(x part, all []result.Strip) *document.Table {
	t := table(nil, "case", "config", "processes", "median", "fastest", "slowest", "two speeds")
	for _, s := range all {
		two := "no"
		if s.N < 12 {
			two = "too few processes"
		}
		if g := s.Groups; g != nil {
			two = fmt.Sprintf("%d at %s, %d at %s", s.Low, units.Quantity(float64(g[0]*s.Median), "sec/op"), s.N-s.Low,
				units.Quantity(float64(g[1]*s.Median), "sec/op"))
		}
		addGiven(t, s.Case, v.label(x.run, s.Side), fmt.Sprint(s.N), units.Quantity(float64(s.Median), "sec/op"),
			times(s.Ratios[0]), times(s.Ratios[len(s.Ratios)-1]), two)
	}
	return t
}

func narrowing(all []result.Narrowing) *document.Table {
	t := table(nil, "ratio", "config", "first interval", "after", "last interval", "after", "rests on")
	for _, x := range all {
		n := len(x.Points)
		if n == 0 {
			addGiven(t, x.Label, x.Side, "none yet", "", "", "", "")
			continue
		}
		iv := func(i int) string { return times(x.Points[i][1]) + " to " + times(x.Points[i][2]) }
		rounds := func(i int) string { return fmt.Sprintf("%.0f rounds", x.Points[i][0]) }
		addGiven(t, x.Label, x.Side, iv(0), rounds(0), iv(n-1), rounds(n-1),
			cmp.Or(x.Rests.String(), "independent rounds"))
	}
	return t
}
