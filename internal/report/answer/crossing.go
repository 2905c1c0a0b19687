package answer

import (
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/claim"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

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
		v := verdict(judged(s.Study, c.ID))
		if c.Kind != language.Ratio || c.Unit != "sec/op" || v == nil || !matches(c.Num, num) || !matches(c.Den, den) {
			continue
		}
		r := &AxisRatio{Label: "heap / stack", Num: num.Key, Den: den.Key}
		for _, e := range counted(v) {
			if size, ok := sizeOf("X/" + e.Label); ok {
				r.Points = append(r.Points, Point{Size: size, Figure: e.Figure,
					Hollow: !e.Figure.Bounded() || e.Status == claim.Undecided})
			}
		}
		if a.Ratio == nil || len(r.Points) > len(a.Ratio.Points) {
			a.Ratio = r
		}
	}
}

func matches(of language.Selector, m *Mean) bool {
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
		v := verdict(judged(s.Study, c.ID))
		if crosses(s.study.Front.Say[c.ID]) && hasFigure(v) {
			says, ok := filled(s.study.Front.Say[c.ID][string(v.Status)], v)
			if !ok {
				says = general(s, &c, v)
			}
			a.Crossings = append(a.Crossings, Crossing{Says: says, Claim: c.ID, Decided: isDecided(v),
				Size: turningSize(v)})
		}
	}
}

// crosses reports whether one of a claim's sentences says from where on it holds.
func crosses(say map[string]string) bool {
	for _, text := range []string{say[language.Holds], say[language.Fails]} {
		t, err := language.ParseTemplate(text)
		turns := func(hole string) bool { return hole == "from" || hole == "upto" }
		if err == nil && slices.ContainsFunc(t.Holes(), turns) {
			return true
		}
	}
	return false
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
