package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// axis returns the cost of a block by its size by every means that was measured; nil if none
// was.
func (x *computing) axis() *Axis {
	out := &Axis{What: "time to have a block of n bytes, zeroed and touched, and to give it back",
		Sizes: []int64{}, Means: []Mean{}, Caches: caches(x.answers[0].Machine), Crossings: []Crossing{},
		Missing: []string{}}
	for _, s := range x.subjects {
		for i := range s.study.Front.Axis {
			x.mean(out, s, i)
		}
	}
	if len(out.Means) == 0 {
		return nil
	}
	out.preferMeasured()
	out.order()
	out.ask()
	x.missing(out)
	out.ends()
	for _, s := range x.subjects {
		if s.run == 0 {
			out.ratio(s)
			out.crossings(s)
		}
	}
	return out
}

// mean adds the curves of one means of a study: one for each configuration of each run.
func (x *computing) mean(out *Axis, s subject, i int) {
	m := s.study.Front.Axis[i]
	if i >= len(s.study.Means) {
		return
	}
	for run := s.run; run < len(x.answers); run++ {
		a := x.answers[run]
		at := slices.IndexFunc(a.Studies, func(o result.Study) bool { return o.Name == s.Name })
		if at < 0 {
			continue
		}
		for _, side := range sidesOf(&a.Studies[at]) {
			curve := Mean{Key: m.Mean, Label: m.Label, Short: m.Short, Family: m.Family, Dash: m.Dash, Study: s.Name,
				Run: run, Data: side, Note: m.Note, Ends: m.Ends, StandIn: m.StandIn, shown: m.Shown,
				Points: points(&a.Studies[at], side, s.study.Means[i])}
			if a.Missing > 0 { // whether the cases end there is not known
				curve.Ends = "further sizes may be in shards that are not here"
			}
			if len(curve.Points) > 0 {
				out.Means = append(out.Means, curve)
			}
		}
	}
}

// missing lists the means that no curve shows here, with the reason.
func (x *computing) missing(out *Axis) {
	for _, s := range x.subjects {
		for i, m := range s.study.Front.Axis {
			shown := slices.ContainsFunc(out.Means, func(o Mean) bool { return o.Key == m.Mean && o.Run == 0 })
			if s.run != 0 || shown || i >= len(s.study.Means) {
				continue
			}
			says := m.Label + ": not measured"
			if anyBroken(s.Study, s.study.Means[i]) {
				says = m.Label + ": its cases are INVALID or failed"
			}
			if !slices.Contains(out.Missing, says) {
				out.Missing = append(out.Missing, says)
			}
		}
	}
}

// preferMeasured drops the stand-ins of means of which a study measured the operation itself,
// and says of those that remain what they are.
func (a *Axis) preferMeasured() {
	exact := func(key string) bool {
		return slices.ContainsFunc(a.Means, func(m Mean) bool { return m.Key == key && m.Run == 0 && !m.StandIn })
	}
	a.Means = slices.DeleteFunc(a.Means, func(m Mean) bool { return m.StandIn && exact(m.Key) })
	stand := slices.IndexFunc(a.Means, func(m Mean) bool { return m.StandIn })
	if stand < 0 {
		return
	}
	if !slices.ContainsFunc(a.Means, func(m Mean) bool { return !m.StandIn && m.Run == 0 }) {
		a.What = "time per block, by the nearest operation that was measured"
	}
	a.Note = "None of these measures a block that is zeroed, touched and given back; memcost run onaxis does"
	if apart := a.apart(); apart > 1 {
		a.Note += fmt.Sprintf("; where two overlap, they are up to %s× apart", units.Brief(apart, ""))
	}
	a.Note += "."
}

// apart returns the largest ratio of two curves here of one means at one size; 1 if none
// overlap.
func (a *Axis) apart() float64 {
	most := 1.0
	for i, m := range a.Means {
		for _, o := range a.Means[:i] {
			if o.Key != m.Key || o.Run != m.Run || o.Study == m.Study {
				continue
			}
			for _, p := range m.Points {
				if q, ok := o.At(p.Size); ok {
					r := float64(p.Figure.Value / q.Figure.Value)
					most = max(most, r, 1/r)
				}
			}
		}
	}
	return most
}

// At returns the point of a curve at a size.
func (m *Mean) At(size int64) (Point, bool) {
	i := slices.IndexFunc(m.Points, func(p Point) bool { return p.Size == size })
	if i < 0 {
		return Point{}, false
	}
	return m.Points[i], true
}

// order puts Go before C and the floors last, what was measured here first, and lists the
// sizes.
func (a *Axis) order() {
	slices.SortStableFunc(a.Means, func(x, y Mean) int {
		return cmp.Or(cmp.Compare(x.Run, y.Run),
			cmp.Compare(slices.Index(language.Families, x.Family), slices.Index(language.Families, y.Family)),
			cmp.Compare(x.Dash, y.Dash))
	})
	for _, m := range a.Means {
		for _, p := range m.Points {
			if !slices.Contains(a.Sizes, p.Size) {
				a.Sizes = append(a.Sizes, p.Size)
			}
		}
	}
	slices.Sort(a.Sizes)
}

// ask leaves the curves that are drawn at once: those that their study always shows, and of those
// that it shows where they are cheapest the one that costs least here. Where no study says so, and of
// other runs, all are.
func (a *Axis) ask() {
	says := func(m Mean) bool { return m.shown != "" }
	if !slices.ContainsFunc(a.Means, says) {
		return
	}
	cheapest, least := -1, math.Inf(1)
	for i, m := range a.Means {
		if m.shown != language.Cheapest || m.Run != 0 {
			continue
		}
		sum := 0.0
		for _, p := range m.Points {
			sum += math.Log(float64(p.Figure.Value))
		}
		// those of more sizes first, for one that lacks the large ones is no cheaper for it
		if mean := sum/float64(len(m.Points)) - 100*float64(len(m.Points)); mean < least {
			cheapest, least = i, mean
		}
	}
	for i := range a.Means {
		m := &a.Means[i]
		m.Asked = m.Run == 0 && m.Family != "floor" && m.shown != language.Always && i != cheapest
	}
}

// ends keeps the reason why a curve ends only where it does.
func (a *Axis) ends() {
	last := a.Sizes[len(a.Sizes)-1]
	for i := range a.Means {
		m := &a.Means[i]
		if m.Points[len(m.Points)-1].Size == last {
			m.Ends = ""
		} else if m.Ends != "" && m.Run == 0 {
			a.Missing = append(a.Missing, m.Label+": "+m.Ends)
		}
	}
	a.Missing = slices.Compact(a.Missing)
}

// caches returns the sizes of a machine's caches for data.
func caches(m machine.Fingerprint) []Cache {
	out := []Cache{}
	for _, c := range m.Caches {
		if c.Type != "Instruction" && c.Bytes > 0 {
			out = append(out, Cache{fmt.Sprintf("L%d cache %s", c.Level, units.Bytes(c.Bytes)), c.Bytes})
		}
	}
	return out
}
