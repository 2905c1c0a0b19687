package page

import (
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

func newCurves(a *answer.Axis, d *axisData) *curvesView {
	sizes := slices.Clone(a.Sizes)
	for _, m := range a.Means {
		for _, p := range m.Points {
			if !slices.Contains(sizes, p.Size) {
				sizes = append(sizes, p.Size)
			}
		}
	}
	slices.Sort(sizes)
	out := &curvesView{Series: len(d.Series) > 1}
	for _, s := range sizes {
		out.Sizes = append(out.Sizes, units.Bytes(s))
	}
	for i, m := range a.Means {
		standIn := ""
		if m.StandIn {
			standIn = "a stand-in"
		}
		out.Rows = append(out.Rows, curveRow{Label: m.Label, Series: d.Series[d.Means[i].Series].Label, Study: m.Study,
			Note: sentences(standIn, m.Note, m.Ends), Cells: cellsAt(sizes, m.Points)})
	}
	if a.Ratio != nil {
		out.Rows = append(out.Rows, curveRow{Label: a.Ratio.Label, Series: d.Series[0].Label,
			Cells: cellsAt(sizes, a.Ratio.Points)})
	}
	return out
}

// sentences joins what is said of a curve.
func sentences(all ...string) string {
	var out []string
	for _, s := range all {
		if s = strings.TrimSuffix(s, "."); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "; ")
}

func cellsAt(sizes []int64, points []answer.Point) []cellView {
	out := make([]cellView, len(sizes))
	for _, p := range points {
		i, known := slices.BinarySearch(sizes, p.Size)
		if !known {
			continue
		}
		out[i] = cellView{p.Figure.String(), p.Figure.Note == result.Invalid}
		if p.Flag != "" {
			out[i].Text += " †"
		}
	}
	return out
}

// startSize is where the read-out begins: what a page and a network buffer hold lies around it.
const startSize = 64 << 10

// readings returns the read-out of the curves of here where it starts, which is the picture's
// key and needs no script.
func readings(a *answer.Axis, d *axisData) (string, []readView) {
	at := nearest(a, d)
	var out []readView
	for i, m := range a.Means {
		if d.Means[i].Series != 0 {
			continue
		}
		r := readView{Label: m.Short, Family: m.Family, Dash: m.Dash, Mean: i, Value: units.None}
		if f, ok := figureAt(m.Points, at); ok {
			r.Value, r.Interval = f.Quantity(), brief(f)
		} else {
			r.Interval = "not measured"
		}
		if a.Ratio != nil && a.Ratio.Num == m.Key {
			if f, ok := figureAt(a.Ratio.Points, at); ok {
				r.Ratio = units.Brief(float64(f.Value), "") + "× " + shortOf(a, a.Ratio.Den)
			}
		}
		out = append(out, r)
	}
	return units.Bytes(at), out
}

// brief returns the interval of a figure as narrow as the read-out has room.
func brief(f figures.Figure) string {
	s := f.IntervalText()
	if strings.HasPrefix(s, "[") {
		return units.BriefEnds(float64(f.Value), float64(f.Lo), float64(f.Hi), f.Unit)
	}
	return s
}

// shortOf returns the short name of a means.
func shortOf(a *answer.Axis, key string) string {
	for _, m := range a.Means {
		if m.Key == key {
			return m.Short
		}
	}
	return key
}

func figureAt(points []answer.Point, size int64) (figures.Figure, bool) {
	for _, p := range points {
		if p.Size == size && p.Figure.Known() {
			return p.Figure, true
		}
	}
	return figures.NoFigure(), false
}

// nearest returns the size of any curve here that is nearest to where the read-out starts.
func nearest(a *answer.Axis, d *axisData) int64 {
	best := int64(0)
	away := func(n int64) float64 {
		if n <= 0 {
			return 1e30
		}
		return max(float64(n)/startSize, startSize/float64(n))
	}
	for i, m := range a.Means {
		if d.Means[i].Series != 0 {
			continue
		}
		for _, p := range m.Points {
			if away(p.Size) < away(best) {
				best = p.Size
			}
		}
	}
	return best
}
