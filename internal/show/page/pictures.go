package page

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// pictureData is what the script draws. Figures are in base units; null is what
// cannot be said.
type pictureData struct {
	ID       string `json:"id"`
	Study    int    `json:"study"`
	Kind     string `json:"kind"` // curve, forest, dots, steps, timeline, strips, narrowing, rounds
	Title    string `json:"title"`
	Sentence string `json:"sentence"`

	By       string    `json:"by,omitempty"` // the key along the axis
	Numeric  bool      `json:"numeric,omitempty"`
	Unit     string    `json:"unit"`
	Columns  []string  `json:"columns,omitempty"`
	Roofline int       `json:"roofline"` // a column, or −1
	Bounds   []bound   `json:"bounds,omitempty"`
	Sets     []setData `json:"sets,omitempty"`

	Compact  bool `json:"compact,omitempty"` // on a card
	Evidence any  `json:"evidence,omitempty"`
	Sorted   bool `json:"sorted,omitempty"` // by its ratios, unless the reader wants its names in their order
}

type bound struct {
	Claim string  `json:"claim"`
	Lo    *number `json:"lo"`
	Hi    *number `json:"hi"`
}

type setData struct {
	Set  int       `json:"set"`
	Rows []rowData `json:"rows"`
}

type rowData struct {
	Label string    `json:"label"` // as shown
	Value string    `json:"value"` // of the key, as in the benchmark's name
	Cells []*figure `json:"cells"` // parallel to columns
}

// figure is [value, lo, hi, rounds].
type figure [4]number

// number is a float64 with five digits; what is not finite is null.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 5, 64), nil
}

// exact is a number with ten digits: a size in bytes, or a figure that also stands as text.
type exact float64

// MarshalJSON implements json.Marshaler.
func (n exact) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', 10, 64), nil
}

// A drawing is both.
type drawing struct {
	data    pictureData
	frame   pictureView
	caption string
}

func (d drawing) view() pictureView {
	f := d.frame
	f.ID, f.Kind, f.Sentence, f.Caption = d.data.ID, d.data.Kind, d.data.Sentence, d.caption
	return f
}

// merged is one picture of all runs that have it.
type merged struct {
	figures.Picture
	keys []int // of each of Sets, its data set
}

// pictures merges the pictures of a study's runs: those of the same kind, title
// and key are one.
func (v *view) pictures(parts []part, study, first int) []drawing {
	var all []merged
	for _, p := range parts {
		for _, x := range p.suite.Pictures {
			at := slices.IndexFunc(all, func(m merged) bool {
				return m.Kind == x.Kind && m.Title == x.Title && m.By == x.By
			})
			if at < 0 {
				m := merged{Picture: x}
				m.Columns, m.Sets = slices.Clone(x.Columns), nil
				all = append(all, m)
				at = len(all) - 1
			}
			all[at].add(v, p.run, x)
		}
	}
	var out []drawing
	for i, m := range all {
		sort.Sort(bySet{&m})
		out = append(out, v.draw(m, study, first+i))
	}
	return out
}

// bySet puts the runs' data sets before the published ones.
type bySet struct{ *merged }

func (x bySet) Len() int           { return len(x.keys) }
func (x bySet) Less(i, j int) bool { return x.keys[i] < x.keys[j] }
func (x bySet) Swap(i, j int) {
	x.keys[i], x.keys[j] = x.keys[j], x.keys[i]
	x.Sets[i], x.Sets[j] = x.Sets[j], x.Sets[i]
}

// add takes the data sets of another run's picture: their columns by name.
func (m *merged) add(v *view, run int, x figures.Picture) {
	m.Busy = m.Busy || x.Busy
	place := make([]int, len(x.Columns))
	for i, c := range x.Columns {
		at := slices.Index(m.Columns, c)
		if at < 0 {
			m.Columns = append(m.Columns, c)
			at = len(m.Columns) - 1
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
			cells := make([]figures.Figure, len(m.Columns))
			for i := range cells {
				cells[i] = figures.NoFigure()
			}
			for i, f := range r.Cells {
				cells[place[i]] = f
			}
			t.Rows = append(t.Rows, figures.Row{Label: r.Label, Cells: cells})
		}
		m.Sets, m.keys = append(m.Sets, t), append(m.keys, key)
	}
	for i := range m.Sets { // columns that came later
		for j := range m.Sets[i].Rows {
			for r := &m.Sets[i].Rows[j]; len(r.Cells) < len(m.Columns); {
				r.Cells = append(r.Cells, figures.NoFigure())
			}
		}
	}
}

func (v *view) draw(m merged, study, n int) drawing {
	d := drawing{data: pictureData{ID: fmt.Sprintf("picture-%d", n), Study: study, Kind: m.Kind, Title: m.Title,
		Sentence: m.Sentence(),
		By:       m.By, Numeric: m.Numeric(), Columns: m.Columns, Roofline: m.Roofline}}
	for _, b := range m.Bounds {
		lo, hi := number(b.Lo), number(b.Hi)
		d.data.Bounds = append(d.data.Bounds, bound{b.Claim, &lo, &hi})
	}
	odd := 0
	for i, s := range m.Sets {
		sd := setData{Set: m.keys[i]}
		for _, r := range s.Rows {
			row := rowData{Label: figures.Label(m.By, r.Label), Value: r.Label}
			for _, f := range r.Cells {
				row.Cells = append(row.Cells, newFigure(f))
				if !math.IsNaN(float64(f.Value)) && !drawable(f.Value) {
					odd++
				}
				if d.data.Unit == "" && !math.IsNaN(float64(f.Value)) {
					d.data.Unit = f.Unit
				}
			}
			sd.Rows = append(sd.Rows, row)
		}
		d.data.Sets = append(d.data.Sets, sd)
	}
	d.frame = v.table(m)
	d.caption = m.Title
	if m.LeftOut > 0 {
		d.frame.Notes = append(d.frame.Notes, fmt.Sprintf("%d more series are not drawn: they stand in the table of "+
			"all cases", m.LeftOut))
	}
	if odd > 0 {
		d.frame.Notes = append(d.frame.Notes, fmt.Sprintf("%d figures are negative or out of range and are "+
			"not drawn: is the file damaged?", odd))
	}
	return d
}

// releases returns a picture by toolchain as text: its data sets are the rows.
func (v *view) releases(m merged) pictureView {
	out := pictureView{Header: append([]string{m.By}, m.Columns...)}
	for i, s := range m.Sets {
		for _, r := range s.Rows {
			row := []cellView{{Text: v.sets[m.keys[i]].Label}}
			for _, f := range r.Cells {
				row = append(row, cellView{f.String(), f.Note == result.Invalid})
			}
			out.Rows = append(out.Rows, row)
		}
	}
	return out
}

// drawable reports whether a figure has a place on an axis: damage can be
// negative, or beyond all measure.
func drawable(v figures.Number) bool { return v == 0 || v > 1e-30 && v < 1e30 }

func newFigure(f figures.Figure) *figure {
	if !drawable(f.Value) {
		return nil
	}
	return &figure{number(f.Value), number(f.Lo), number(f.Hi), number(f.N)}
}

// table returns the same figures as text: a group of columns for each data set, and
// in it the columns that have any figure.
func (v *view) table(m merged) pictureView {
	if m.By == language.ByToolchain {
		return v.releases(m)
	}
	out := pictureView{Header: []string{m.By}}
	var labels []string
	type column struct{ set, col int }
	var columns []column
	for i, s := range m.Sets {
		span := 0
		for c, header := range m.Columns {
			if slices.ContainsFunc(s.Rows, func(r figures.Row) bool {
				return !math.IsNaN(float64(r.Cells[c].Value)) || r.Cells[c].Note != ""
			}) {
				columns = append(columns, column{i, c})
				out.Header = append(out.Header, header)
				span++
			}
		}
		if span > 0 {
			out.Groups = append(out.Groups, group{v.sets[m.keys[i]].Label, span})
		}
		for _, r := range s.Rows {
			if !slices.Contains(labels, r.Label) {
				labels = append(labels, r.Label)
			}
		}
		for _, n := range s.Notes {
			out.Notes = append(out.Notes, v.sets[m.keys[i]].Label+": "+n)
		}
	}
	figures.SortLabels(labels)
	rows := map[string][]cellView{}
	for _, l := range labels {
		rows[l] = make([]cellView, 1+len(columns))
		rows[l][0].Text = figures.Label(m.By, l)
	}
	for n, at := range columns {
		for _, r := range m.Sets[at.set].Rows {
			f := r.Cells[at.col]
			rows[r.Label][1+n] = cellView{f.String(), f.Note == result.Invalid}
		}
	}
	for _, l := range labels {
		out.Rows = append(out.Rows, rows[l])
	}
	return out
}
