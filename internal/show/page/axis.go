package page

import (
	"slices"
	"strings"

	"memcost/internal/report/answer"
	"memcost/internal/report/result"
)

// axisData is what the picture on one axis is drawn from.
type axisData struct {
	What      string         `json:"what"`
	Series    []seriesData   `json:"series"` // the first is here
	Means     []meanData     `json:"means"`
	Ratio     *axisRatioData `json:"ratio,omitempty"`
	Caches    []cacheData    `json:"caches"`
	Crossings []string       `json:"crossings"`
	Missing   []string       `json:"missing"`
}

// A seriesData is the curves of one configuration of a run, or of a published machine.
type seriesData struct {
	Label     string `json:"label"`
	Published bool   `json:"published,omitempty"`

	run  int
	data string
}

type meanData struct {
	Key    string     `json:"key"`
	Label  string     `json:"label"`
	Short  string     `json:"short"`
	Family string     `json:"family"`
	Dash   int        `json:"dash,omitempty"`
	Series int        `json:"series"`
	Ends   string     `json:"ends,omitempty"`
	Points [][5]exact `json:"points"` // size, value, lo, hi, and 1 hollow + 2 flagged
}

type axisRatioData struct {
	Label  string     `json:"label"`
	Num    string     `json:"num"`
	Den    string     `json:"den"`
	Points [][4]exact `json:"points"` // size, value, lo, hi
}

type cacheData struct {
	Label string `json:"label"`
	Bytes int64  `json:"bytes"`
}

// newAxis returns what the picture on one axis is drawn from.
func newAxis(v *view, a *answer.Axis, answers []*result.Answer) *axisData {
	d := &axisData{What: a.What, Means: []meanData{}, Caches: []cacheData{}, Crossings: []string{},
		Missing: append([]string{}, a.Missing...)}
	for _, m := range a.Means {
		at := slices.IndexFunc(d.Series, func(s seriesData) bool {
			return s.Published == m.Published && s.data == m.Data && (m.Published || s.run == m.Run)
		})
		if at < 0 {
			at = len(d.Series)
			d.Series = append(d.Series, seriesData{seriesLabel(v, m, answers), m.Published, m.Run, m.Data})
		}
		x := meanData{Key: m.Key, Label: m.Label, Short: m.Short, Family: m.Family, Dash: m.Dash, Series: at,
			Ends: m.Ends, Points: [][5]exact{}}
		for _, p := range m.Points {
			if p.Figure.Value > 0 && drawable(p.Figure.Value) && p.Size > 0 {
				x.Points = append(x.Points, [5]exact{exact(p.Size), exact(p.Figure.Value), exact(p.Figure.Lo),
					exact(p.Figure.Hi), exact(kind(p))})
			}
		}
		d.Means = append(d.Means, x)
	}
	if r := a.Ratio; r != nil {
		d.Ratio = &axisRatioData{Label: r.Label, Num: r.Num, Den: r.Den, Points: [][4]exact{}}
		for _, p := range r.Points {
			d.Ratio.Points = append(d.Ratio.Points, [4]exact{exact(p.Size), exact(p.Figure.Value),
				exact(p.Figure.Lo), exact(p.Figure.Hi)})
		}
	}
	for _, c := range a.Caches {
		d.Caches = append(d.Caches, cacheData{c.Label, c.Bytes})
	}
	for _, c := range a.Crossings {
		d.Crossings = append(d.Crossings, c.Says.String())
	}
	return d
}

// kind returns how a point is drawn: 1 is hollow, 2 is flagged, 3 is both.
func kind(p answer.Point) int {
	n := 0
	if p.Hollow {
		n++
	}
	if p.Flag != "" {
		n += 2
	}
	return n
}

// seriesLabel names the run, configuration or published machine of a curve.
func seriesLabel(v *view, m answer.Mean, answers []*result.Answer) string {
	if m.Published {
		short, _, _ := strings.Cut(m.Data, " (")
		return short + ", published"
	}
	if at := v.at(m.Run, m.Data, false); at >= 0 && len(answers) > 1 {
		return v.sets[at].Label
	}
	return m.Data
}
