package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/machine"
	"memcost/internal/result"
	"memcost/internal/saying"
	"memcost/internal/units"
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
		at := slices.IndexFunc(a.Suites, func(o result.Suite) bool { return o.Name == s.Name })
		if at < 0 {
			continue
		}
		any := false
		for _, arm := range armsOf(&a.Suites[at]) {
			curve := Mean{Key: m.Mean, Label: m.Label, Short: m.Short, Family: m.Family, Dash: m.Dash, Study: s.Name,
				Run: run, Data: arm, Note: m.Note, Ends: m.Ends, StandIn: m.StandIn,
				Points: points(&a.Suites[at], arm, s.study.Means[i])}
			if len(curve.Points) > 0 {
				out.Means = append(out.Means, curve)
				any = true
			}
		}
		if !any && run == 0 {
			out.Missing = append(out.Missing, m.Label+": not measured")
		}
	}
}

func armsOf(s *result.Suite) []string {
	var out []string
	for _, c := range s.Cases {
		if !slices.Contains(out, c.Arm) {
			out = append(out, c.Arm)
		}
	}
	return out
}

// points returns the figures of a curve, by size. A case that is INVALID or failed has none.
func points(s *result.Suite, arm string, of catalog.Selector) []Point {
	var out []Point
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Arm != arm || c.Failed != "" || len(c.Invalid) > 0 || !c.Time.Known() ||
			!of.Match(&benchfmt.Result{Name: benchfmt.Name(c.Name)}) {
			continue
		}
		size, ok := sizeOf(c.Name)
		if !ok || slices.ContainsFunc(out, func(p Point) bool { return p.Size == size }) {
			continue
		}
		p := Point{Size: size, Case: c.Name, Figure: c.Time, Hollow: !c.Time.Bounded()}
		if len(c.Flags) > 0 {
			p.Flag, p.Hollow = c.Flags[0], true
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	return out
}

// sizeOf returns the value of a case's key size.
func sizeOf(name string) (int64, bool) {
	_, parts := benchfmt.Name(name).Parts()
	for _, p := range parts {
		const key = "/size="
		if len(p) > len(key) && string(p[:len(key)]) == key {
			n, err := strconv.ParseInt(string(p[len(key):]), 10, 64)
			return n, err == nil && n > 0
		}
	}
	return 0, false
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
	a.Note = "Stand-ins for a block that is zeroed, touched and given back"
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
			cmp.Compare(slices.Index(saying.Families, x.Family), slices.Index(saying.Families, y.Family)),
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

// ratio fills the row of the heap over the stack, from a claim that has its interval.
func (a *Axis) ratio(s subject) {
	if a.Ratio != nil {
		return
	}
	num, den := a.first("heap", s.Name), a.first("stack", s.Name)
	if num == nil || den == nil {
		return
	}
	for _, c := range s.study.Claims {
		v := verdict(judged(s.Suite, c.ID))
		if c.Kind != catalog.Ratio || c.Unit != "sec/op" || v == nil || !matches(c.Num, num) || !matches(c.Den, den) {
			continue
		}
		r := &AxisRatio{Label: "heap / stack", Num: num.Key, Den: den.Key}
		for _, e := range counted(v) {
			if size, ok := sizeOf("X/" + e.Label); ok {
				r.Points = append(r.Points, Point{Size: size, Figure: e.Figure})
			}
		}
		if a.Ratio == nil || len(r.Points) > len(a.Ratio.Points) {
			a.Ratio = r
		}
	}
}

func matches(of catalog.Selector, m *Mean) bool {
	return of.Match(&benchfmt.Result{Name: benchfmt.Name(m.Points[0].Case)})
}

// first returns the curve here of a means in a study, or nil.
func (a *Axis) first(key, study string) *Mean {
	i := slices.IndexFunc(a.Means, func(m Mean) bool { return m.Key == key && m.Run == 0 && m.Study == study })
	if i < 0 {
		return nil
	}
	return &a.Means[i]
}

// crossings lists the claims of a study with curves whose sentences say from where on they hold.
func (a *Axis) crossings(s subject) {
	if len(s.study.Front.Axis) == 0 {
		return
	}
	for _, c := range s.study.Claims {
		text := s.study.Front.Say[c.ID][saying.Holds]
		t, err := saying.Parse(text)
		if v := verdict(judged(s.Suite, c.ID)); err == nil && v != nil && crosses(t) && hasFigure(v) {
			says, ok := filled(s.study.Front.Say[c.ID][v.Status], v)
			if !ok {
				says = general(s, &c, v)
			}
			a.Crossings = append(a.Crossings, Crossing{Says: says, Claim: c.ID, Decided: isDecided(v),
				Size: turningSize(v)})
		}
	}
}

func crosses(t saying.Template) bool {
	return slices.ContainsFunc(t.Holes(), func(h string) bool { return h == "from" || h == "upto" })
}

// turningSize returns the size from which on a claim holds; 0 if there is none.
func turningSize(v *result.Verdict) int64 {
	f := filling{v: v, shown: counted(v)}
	i := f.turn()
	if i >= len(f.shown) {
		return 0
	}
	size, _ := sizeOf("X/" + f.shown[i].Label)
	return size
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
