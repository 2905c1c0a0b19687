package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

var errOther = errors.New("it is no run of memcost alloc")

// Of returns what a run says.
func Of(a *result.Answer) (*AllocReport, error) {
	if !Is(a) {
		return nil, errOther
	}
	c, err := OfRun(a)
	if err != nil {
		return nil, err
	}
	found := a.Question.Comparison.Alloc
	r := &AllocReport{Format: Format, Label: c.Label, Dir: c.Dir, Program: found.Program, Own: found.Own,
		Until: found.Until, CallsPerSec: found.CallsPerSec,
		OutputVaries: found.Varies, Margin: c.Margin, Alpha: c.Alpha, Rounds: a.Rounds,
		NotMeasured: append([]plan.NotMeasured{}, found.Left...), NoiseFloor: c.NoiseFloor,
		Notes: append([]string{}, found.Notes...), Warnings: c.Warnings, Sides: c}
	if sides := a.Question.Plan.Sides; len(sides) > 0 {
		r.Command = sides[0].Command
	}
	for side := range c.Sides {
		r.Allocators = append(r.Allocators, allocatorOf(a, c, side))
	}
	r.Says = r.sentence()
	return r, nil
}

// allocatorOf returns what is known of one side.
func allocatorOf(a *result.Answer, c *Report, side int) Allocator {
	x := Allocator{Name: c.Sides[side].Name}
	for _, f := range []struct {
		to   *Figure
		unit string
	}{{&x.CPU, series.UnitCPU}, {&x.Wall, Time}, {&x.Memory, series.UnitRSS},
		{&x.Minor, series.UnitMinorFaults}, {&x.Major, series.UnitMajorFaults}, {&x.Own, series.UnitVoluntary},
		{&x.Forced, series.UnitInvoluntary}} {
		*f.to = FigureOf(c, side, f.unit)
	}
	x.Invalid = InvalidOf(a, c, side)
	switch {
	case side == 0:
		x.Says = "baseline"
	case x.Invalid != "":
		x.Says = "INVALID"
	default:
		x.Says = x.verdict()
	}
	return x
}

// FigureOf returns a figure of one side of a program, with its ratio to the first side.
func FigureOf(c *Report, side int, unit string) Figure {
	f := Figure{Value: figures.NoFigure(), Ratio: figures.NoFigure()}
	if len(c.Benchmarks) == 0 {
		return f
	}
	m := c.Benchmarks[0].Metric(unit)
	if m == nil {
		return f
	}
	f.Value = m.Values[side]
	if side > 0 {
		f.Ratio, f.Verdict = m.Changes[side-1].Ratio, m.Changes[side-1].Verdict
	}
	return f
}

// InvalidOf returns why a side of a program is in no verdict, "" of one that is.
func InvalidOf(a *result.Answer, c *Report, side int) string {
	name := c.Sides[side].Name
	for _, b := range c.Benchmarks {
		for _, why := range slices.Concat(b.Invalid, b.Failed) {
			if rest, ok := strings.CutPrefix(why, name+": "); ok {
				return rest
			}
		}
	}
	for _, f := range a.Question.Plan.Failures {
		if f.Side == name {
			return fmt.Sprintf("it failed: %s", f.Reason)
		}
	}
	return ""
}
