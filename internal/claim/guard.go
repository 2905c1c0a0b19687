package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/catalog"
	"memcost/internal/series"
	"memcost/internal/stat"
)

// HeapUse says, for a function, what the compiler moved or let escape to the
// heap in it: "bilbo.go:12: moved to heap: x". It is nil when the compiler's
// diagnostics are not at hand.
type HeapUse func(function string) []string

// Guard checks every case of d against the study's expectations and against the
// empty loop, and records in d.Invalid why a case does not count.
func Guard(st *catalog.Study, d *Data, heap HeapUse) {
	if d.Invalid == nil {
		d.Invalid = map[string]Reasons{}
	}
	for _, c := range d.Cases {
		for _, e := range st.Expects {
			if !e.Sel.Match(c.Result) {
				continue
			}
			if why := d.unexpected(e, c, heap); why != "" {
				d.Invalid[c.Case] = append(d.Invalid[c.Case], why)
			}
		}
	}
	if !d.Published {
		d.guardFloor(st.Floor)
	}
}

func (d *Data) unexpected(e catalog.Expect, c *series.Series, heap HeapUse) string {
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
	a, err := allowedBy(e.Cond, c)
	if err != nil {
		return err.Error()
	}
	if Exact(e.Unit) {
		a = a.widen(slack(e.Unit, c.Result.Iters))
	}
	if m := stat.Median(vs); !a.has(m) {
		return fmt.Sprintf("it has %.6g %s, expected %s (%s)", m, e.Unit, e.Cond, e.Pos)
	}
	return ""
}

// floorMargin is how much a case must cost over the empty loop to be believed.
const floorMargin = 1.05

// guardFloor marks the cases that cost no more than the empty loop: what they
// were meant to do has been optimised away. A case whose interval reaches down
// to the floor is given the benefit of the doubt until it is decided.
func (d *Data) guardFloor(floor string) {
	if floor == "" {
		return
	}
	var empty *series.Series
	for _, c := range d.Cases {
		if string(c.Result.Name.Base()) == floor {
			empty = c
		}
	}
	if empty == nil {
		return
	}
	for _, c := range d.Cases {
		if c == empty {
			continue
		}
		if e := d.Ratio(c, empty, "sec/op"); e.Rounds > 0 && !e.Interval.IsEmpty() && e.Interval.Hi < floorMargin {
			d.Invalid[c.Case] = append(d.Invalid[c.Case],
				fmt.Sprintf("optimised away: it costs %.3g× the empty loop", e.Centre))
		}
	}
}

// Drift is a case whose cost per op depends on the number of iterations.
type Drift struct {
	Case     string
	Estimate // cost per op at N/4 over that at N
}

// driftMargin is the dependence on N that is worth a word. A quarter-length
// sample pays relatively more for first touches and a cold cache; up to a tenth
// is put down to that.
const driftMargin = 1.10

// Drifts compares the quarter samples of the leading rounds with the full ones.
func Drifts(d *Data) []Drift {
	var out []Drift
	for _, c := range d.Cases {
		id := c.ID
		id.Role = "quarter"
		quarter := d.Set.Get(id)
		if quarter == nil {
			continue
		}
		if e := d.Ratio(quarter, c, "sec/op"); !e.Interval.IsEmpty() && (e.Interval.Lo > driftMargin || e.Interval.Hi < 1/driftMargin) {
			out = append(out, Drift{c.Case, e})
		}
	}
	slices.SortFunc(out, func(a, b Drift) int { return -cmp.Compare(math.Abs(math.Log(a.Centre)), math.Abs(math.Log(b.Centre))) })
	return out
}
