package result

import (
	"slices"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
)

func timeline(study string, set *series.Set, q *plan.Question, cases []*series.Series) Timeline {
	t := Timeline{PerPoint: 1 + (set.Rounds()-1)/maxMoments}
	if set.Rounds() == 0 {
		return t
	}
	at := make([][]float64, 1+(set.Rounds()-1)/t.PerPoint)
	for _, c := range cases {
		m := stat.Median(set.Valid(c, "sec/op"))
		for i, v := range c.Values("sec/op") {
			if x := v / m; drawable(x) {
				b := int(c.Rounds[i]) / t.PerPoint
				at[b] = append(at[b], x)
			}
		}
	}
	for b, xs := range at {
		if len(xs) > 0 {
			slices.Sort(xs)
			t.Points = append(t.Points, Moment{figures.Drawn(b * t.PerPoint), sortedQuantile(xs, 0.1), sortedQuantile(xs, 0.5),
				sortedQuantile(xs, 0.9)})
		}
	}
	t.Doubles = doubles(study, set, t.PerPoint)
	t.Disturbed = disturbances(study, set, q, t.PerPoint)
	return t
}

// doubles returns the ratios of each case to its own copy; of a point that stands
// for several rounds, the last one.
func doubles(study string, set *series.Set, perPoint int) []Line {
	out := []Line{}
	for _, s := range set.All() {
		if s.Study != study || s.Role != string(plan.Double) {
			continue
		}
		id := s.ID
		id.Role = ""
		main := set.Get(id)
		if main == nil {
			continue
		}
		l := Line{Case: s.Case}
		if len(s.Side) > 0 {
			l.Case += " · " + s.Side
		}
		values, own := main.Values("sec/op"), s.Values("sec/op")
		for i, round := range s.Rounds {
			j, ok := slices.BinarySearch(main.Rounds, round)
			if !ok || i >= len(own) || j >= len(values) {
				continue
			}
			x := own[i] / values[j]
			if !drawable(x) {
				continue
			}
			b := int(round) / perPoint * perPoint
			at := [2]figures.Drawn{figures.Drawn(b), figures.Drawn(x)}
			if n := len(l.Points); n > 0 && l.Points[n-1][0] == at[0] {
				l.Points[n-1] = at
				continue
			}
			l.Points = append(l.Points, at)
		}
		if len(l.Points) > 0 {
			out = append(out, l)
		}
	}
	return out
}

func disturbances(study string, set *series.Set, q *plan.Question, perPoint int) []Disturbance {
	mine := map[int]bool{}
	for _, c := range q.Plan.Cases {
		if q.Plan.Studies[c.Study].Name == study {
			mine[c.Group] = true
		}
	}
	out := []Disturbance{}
	for _, v := range set.Disturbed() {
		if !mine[v.Group] {
			continue
		}
		b := v.Round / perPoint * perPoint
		if n := len(out); n > 0 && out[n-1].Round == b {
			out[n-1].Count++
			continue
		}
		out = append(out, Disturbance{b, v.Reason + " while " + v.Side + " ran", 1})
	}
	return out
}
