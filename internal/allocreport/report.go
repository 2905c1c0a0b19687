// Package allocreport says what a run of memcost alloc found: a verdict on each allocator, and one
// sentence, from what the comparison of its sides decided. It is pure.
package allocreport

import (
	"errors"
	"fmt"
	"slices"

	"memcost/internal/compare"
	"memcost/internal/figures"
	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/series"
)

// Format is the version of the JSON form of a Report: see docs/format.md.
const Format = 1

// A Report is what a program does under several allocators.
type Report struct {
	Format  int    `json:"format"`
	Label   string `json:"label,omitempty"`
	Dir     string `json:"run_folder"`
	Says    string `json:"says"` // the answer, from decided verdicts alone
	Program string `json:"program"`
	Command string `json:"command"`
	Own     string `json:"own_allocator"` // the baseline
	Until   string `json:"until,omitempty"`
	// OutputVaries reports that what the program prints is not compared, for it varies by itself.
	OutputVaries bool               `json:"output_varies"`
	Margin       float64            `json:"margin"`
	Alpha        float64            `json:"alpha"`
	Rounds       int                `json:"rounds"`
	Allocators   []Allocator        `json:"allocators"` // the baseline first
	NotMeasured  []plan.NotMeasured `json:"not_measured"`
	NoiseFloor   []result.Noise     `json:"noise_floor"`
	Notes        []string           `json:"notes"`
	Warnings     []string           `json:"warnings"`
	Sides        *compare.Report    `json:"-"` // the same in full
}

// An Allocator is a configuration that was measured.
type Allocator struct {
	Name    string `json:"name"`
	Invalid string `json:"invalid,omitempty"` // why it is in no verdict
	Says    string `json:"says"`              // its verdict: "less CPU time, more memory"
	// The figures of one process; the ratio of each is over that of the baseline.
	CPU    Figure `json:"cpu_time"`
	Wall   Figure `json:"wall_time"`
	Memory Figure `json:"peak_rss"`
	Minor  Figure `json:"minor_faults"`
	Major  Figure `json:"major_faults"`
	Own    Figure `json:"voluntary_switches"`
	Forced Figure `json:"involuntary_switches"`
}

// A Figure is one figure of an allocator, with its ratio.
type Figure struct {
	Value   figures.Figure `json:"value"`
	Ratio   figures.Figure `json:"ratio"`
	Verdict string         `json:"verdict,omitempty"` // changed, equivalent, undecided, invalid; "" without a figure
}

// Less reports whether the figure is known to be smaller than the baseline's.
func (f Figure) Less() bool { return f.Verdict == compare.Changed && f.Ratio.Value < 1 }

// More reports whether it is known to be larger.
func (f Figure) More() bool {
	return f.Verdict == compare.Changed && (f.Ratio.Value > 1 || f.Ratio.Note == compare.FromZero)
}

// Decided reports whether it is known to be smaller, larger, or the same within the margin.
func (f Figure) Decided() bool {
	return f.Verdict == compare.Changed || f.Verdict == compare.Equivalent
}

// Is reports whether an answer is that of memcost alloc.
func Is(a *result.Answer) bool {
	return a.Question != nil && a.Question.Comparison != nil && a.Question.Comparison.Alloc != nil
}

var errOther = errors.New("it is no run of memcost alloc")

// Of returns what a run says.
func Of(a *result.Answer) (*Report, error) {
	if !Is(a) {
		return nil, errOther
	}
	c, err := compare.OfRun(a)
	if err != nil {
		return nil, err
	}
	found := a.Question.Comparison.Alloc
	r := &Report{Format: Format, Label: c.Label, Dir: c.Dir, Program: found.Program, Own: found.Own,
		Until: found.Until, OutputVaries: found.Varies, Margin: c.Margin, Alpha: c.Alpha, Rounds: a.Rounds,
		NotMeasured: append([]plan.NotMeasured{}, found.Left...), NoiseFloor: c.NoiseFloor,
		Notes: append([]string{}, found.Notes...), Warnings: c.Warnings, Sides: c}
	if arms := a.Question.Plan.Arms; len(arms) > 0 {
		r.Command = arms[0].Command
	}
	for side := range c.Sides {
		r.Allocators = append(r.Allocators, allocatorOf(a, c, side))
	}
	r.Says = r.sentence()
	return r, nil
}

// allocatorOf returns what is known of one side.
func allocatorOf(a *result.Answer, c *compare.Report, side int) Allocator {
	x := Allocator{Name: c.Sides[side].Name}
	for _, f := range []struct {
		to   *Figure
		unit string
	}{{&x.CPU, series.UnitCPU}, {&x.Wall, compare.Time}, {&x.Memory, series.UnitRSS},
		{&x.Minor, series.UnitMinorFaults}, {&x.Major, series.UnitMajorFaults}, {&x.Own, series.UnitVoluntary},
		{&x.Forced, series.UnitInvoluntary}} {
		*f.to = figureOf(c, side, f.unit)
	}
	x.Invalid = invalid(a, c, side)
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

func figureOf(c *compare.Report, side int, unit string) Figure {
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

// invalid returns why a side is in no verdict.
func invalid(a *result.Answer, c *compare.Report, side int) string {
	name := c.Sides[side].Name
	for _, b := range c.Benchmarks {
		for _, why := range slices.Concat(b.Invalid, b.Failed) {
			if rest, ok := cutName(why, name); ok {
				return rest
			}
		}
	}
	for _, f := range a.Question.Plan.Failures {
		if f.Arm == name {
			return fmt.Sprintf("it failed: %s", f.Reason)
		}
	}
	return ""
}

func cutName(why, name string) (string, bool) {
	if len(why) > len(name)+2 && why[:len(name)+2] == name+": " {
		return why[len(name)+2:], true
	}
	return "", false
}
