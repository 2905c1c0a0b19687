package claim

import (
	"fmt"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// HeapUse says, for a function, what the compiler moved or let escape to the
// heap in it: "bilbo.go:12: moved to heap: x". It is nil when the compiler's
// diagnostics are not at hand.
type HeapUse func(function string) []string

// Guard checks every case of d against the study's expectations and against the
// empty loop, and records in d.Invalid why a case does not count.
func Guard(st *language.Study, d *Data, heap HeapUse) {
	if d.Invalid == nil {
		d.Invalid = map[string]Reasons{}
	}
	for _, c := range d.Cases {
		for _, e := range st.Expects {
			if !e.Sel.Match(c.Result) {
				continue
			}
			if why := unexpected(d, e, c, heap); why != "" {
				d.Invalid[c.Case] = append(d.Invalid[c.Case], why)
			}
		}
	}
	if !d.Single {
		guardFloor(d, st.Floor)
		guardSamples(st, d)
	}
}

func unexpected(d *Data, e language.Expect, c *series.Series, heap HeapUse) string {
	if len(e.Funcs) > 0 {
		if heap == nil {
			return ""
		}
		for _, fn := range e.Funcs {
			if lines := heap(fn); len(lines) > 0 {
				return fmt.Sprintf("the compiler put something of %s on the heap (%s)", fn, lines[0])
			}
		}
		return ""
	}
	vs := d.values(c, e.Unit)
	if len(vs) == 0 {
		return ""
	}
	counted := exact(d, e.Unit)
	a, err := allowedBy(e.Cond, c, counted)
	if err != nil {
		return err.Error()
	}
	if counted {
		a = a.widen(Slack(e.Unit, c))
	}
	if m := stat.Median(vs); !a.has(m) {
		return fmt.Sprintf("it has %.6g %s, expected %s (%s)", m, e.Unit, e.Cond, e.Pos)
	}
	if counted {
		return strays(vs, a, e)
	}
	return ""
}

// maxStray is the share of samples that may miss an exact expectation. One
// process in ten may be disturbed (by the runtime's own objects, in a sample of
// few iterations); a case that behaves otherwise more often than that is not the
// case that it says it is.
const maxStray = 0.1

func strays(vs []float64, a allowed, e language.Expect) string {
	var off []float64
	for _, v := range vs {
		if !a.has(v) {
			off = append(off, v)
		}
	}
	if float64(len(off)) <= maxStray*float64(len(vs)) {
		return ""
	}
	return fmt.Sprintf("it has %.6g %s in %d of %d samples, expected %s (%s)", stat.Median(off), e.Unit, len(off),
		len(vs), e.Cond, e.Pos)
}

// floorMargin is how much a case must cost over the empty loop to be believed.
const floorMargin = 1.05

// guardFloor marks the cases that cost no more than the empty loop (on the same
// GOMAXPROCS): what they were meant to do has been optimised away. A case whose
// interval reaches down to the floor is given the benefit of the doubt until it
// is decided, and stands among AtFloor when its estimate lies there; an empty
// loop that is INVALID itself is no measure.
func guardFloor(d *Data, floor string) {
	if floor == "" {
		return
	}
	empty := map[string]*series.Series{}
	for _, c := range d.Cases {
		if string(c.Result.Name.Base()) == floor && len(d.Invalid[c.Case]) == 0 {
			empty[Procs(c)] = c
		}
	}
	for _, c := range d.Cases {
		e := empty[Procs(c)]
		if e == nil || c == e || string(c.Result.Name.Base()) == floor || aboveFloor(d, c, e) {
			continue
		}
		switch x := d.Ratio(c, e, "sec/op"); {
		case x.Rounds == 0 || x.Interval.IsEmpty():
		case x.Interval.Hi < floorMargin:
			d.Invalid[c.Case] = append(d.Invalid[c.Case],
				fmt.Sprintf("optimised away: it costs %.3g× the empty loop", x.Centre))
		case x.Centre < floorMargin:
			d.AtFloor = append(d.AtFloor, Pair{Label: c.Case, Num: c, Den: e})
		}
	}
}

// aboveFloor reports whether a case cost more than the margin over the floor in
// nine rounds of ten or more. Its interval then reaches above the margin, and
// need not be computed: with s the scale of METHOD's u = clip((d − θ)/s, ±2.5), half
// of the rounds have |u| ≥ 1/1.4826, so that those above bring Σu at least
// 0.4/1.4826 per round and the one in ten below takes at most 0.25 away; a
// positive Σu at θ puts the balance, which is always accepted, above θ.
func aboveFloor(d *Data, c, floor *series.Series) bool {
	above, n := 0, 0
	d.Set.Join([]*series.Series{c, floor}, "sec/op", func(_ int32, v []float64) {
		n++
		if v[0] > floorMargin*v[1] {
			above++
		}
	})
	return float64(above) >= 0.9*float64(n)
}
