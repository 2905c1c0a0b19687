package result

import (
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
)

// A ReasonRow is why a case has a heap allocation, or that it has none.
type ReasonRow struct {
	Cause string // in words
	Says  string // the compiler's words, with their place; "" where it has none
	Fix   string
	Flow  []string
	where string
}

// ReasonRows returns a case's reasons in words, at least one; nil where its study does not
// explain it.
func (c *Case) ReasonRows() []ReasonRow {
	switch {
	case c.Reasons == nil:
		return nil
	case len(c.Reasons) == 0 && c.allocates():
		return []ReasonRow{{Cause: "allocated by the runtime, not reported by the compiler"}}
	case len(c.Reasons) == 0:
		return []ReasonRow{{Cause: "no heap allocation"}}
	case !c.allocates() && !slices.ContainsFunc(c.Reasons, func(r plan.Reason) bool { return !r.Heap }):
		return []ReasonRow{{Cause: "no heap allocation here: what the compiler reports was not reached"}}
	}
	var out []ReasonRow
	for _, r := range c.Reasons {
		if r.Heap && !c.allocates() {
			continue // on a line that the timed part does not reach
		}
		x := ReasonRow{Cause: r.Cause, Says: r.Where + ": " + r.Says, Fix: r.Fix, Flow: slices.Clone(r.Flow),
			where: r.Where}
		if x.Cause == "" {
			x.Cause = "cause not known"
		}
		if !r.Heap {
			x.Cause += " (conditional)"
		}
		out = append(out, x)
	}
	return out
}

// allocates reports whether a case makes objects, beside those that are the runtime's own:
// one op in a hundred is enough.
func (c *Case) allocates() bool {
	const least = 0.01
	return float64(c.Metrics["allocs/op"]) >= least+claim.RuntimeObjects(c.Iterations,
		float64(c.Metrics[series.UnitGCCycles]))
}

// SameReasons compares what is said of a case, but not its words: releases of the
// compiler differ in the names that they make up ("~R0", "~r0").
func (c *Case) SameReasons(o *Case) bool {
	return c.Name == o.Name && slices.EqualFunc(c.ReasonRows(), o.ReasonRows(), func(a, b ReasonRow) bool {
		return a.Cause == b.Cause && a.where == b.where
	})
}

// A ReasonGroup is a case on the sides on which the same is said of it.
type ReasonGroup struct {
	Case      string
	Sides     []string
	Allocated string // allocs/op, the least and the most of these sides
	Rows      []ReasonRow
}

// ReasonGroups returns the cases that their study explains, in order, each once for each
// different set of reasons.
func (s *Study) ReasonGroups() []ReasonGroup {
	var names []string
	byCase := map[string][]*reasonGroup{}
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Reasons == nil {
			continue
		}
		if byCase[c.Name] == nil {
			names = append(names, c.Name)
		}
		at := slices.IndexFunc(byCase[c.Name], func(g *reasonGroup) bool { return g.first.SameReasons(c) })
		if at < 0 {
			at = len(byCase[c.Name])
			byCase[c.Name] = append(byCase[c.Name], &reasonGroup{first: c})
		}
		byCase[c.Name][at].add(c)
	}
	var out []ReasonGroup
	for _, name := range names {
		for _, g := range byCase[name] {
			out = append(out, ReasonGroup{Case: name, Sides: g.sides, Rows: g.first.ReasonRows(),
				Allocated: g.allocated()})
		}
	}
	return out
}

// reasonGroup is a ReasonGroup to which cases are added.
type reasonGroup struct {
	first  *Case
	sides  []string
	allocs []figures.Number
}

func (g *reasonGroup) add(c *Case) {
	g.sides = append(g.sides, c.Side)
	if n, ok := c.Metrics["allocs/op"]; ok {
		g.allocs = append(g.allocs, n)
	}
}

func (g *reasonGroup) allocated() string {
	if len(g.allocs) == 0 {
		return ""
	}
	least, most := units.Quantity(float64(slices.Min(g.allocs)), "allocs/op"),
		units.Quantity(float64(slices.Max(g.allocs)), "allocs/op")
	if least == most {
		return least
	}
	return least + " to " + most
}
