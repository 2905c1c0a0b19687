package sample

import (
	"context"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/series"
)

// take runs one process and makes its record. A process without a result is recorded as
// such.
func (e *Engine) take(ctx context.Context, t plan.Task) (*benchfmt.Result, error) {
	c := e.Plan.Cases[t.Case]
	target, err := e.Lab.Target(c, t.Arm, t.Layout)
	if err != nil {
		return nil, err
	}
	before, _ := e.Sampler.Snapshot()
	res, o, err := e.Lab.runCase(ctx, harnessOf(e.Plan.Kind(c)), c, e.Plan.Arms[t.Arm].Name, Command(e.Plan, t, target))
	after, _ := e.Sampler.Snapshot()
	if err != nil {
		return nil, err
	}
	r := o.find(c.Name)
	if r == nil || res.ExitCode != 0 {
		log := e.Lab.keep(e.Plan.Suites[c.Suite].Name, c.Name, e.Plan.Arms[t.Arm].Name, res)
		reason := describeEnd(res, o)
		if log != "" {
			reason += " (" + log + ")"
		}
		r = &benchfmt.Result{Name: benchfmt.Name(c.Name), Iters: int(t.N)}
		r.Values = append(r.Values, benchfmt.Value{Value: 1, Unit: series.UnitFailed})
		e.describe(r, t, reason)
	} else {
		e.describe(r, t, "")
	}
	e.addCosts(r, t, res, before.Until(after))
	return r, nil
}

// describe sets the record's file configuration: what stays the same from sample to
// sample, so that benchstat and similar tools can group by it. Values that change with
// each sample are figures (round, order, layout): as configuration they would put every
// sample into a table of its own.
func (e *Engine) describe(r *benchfmt.Result, t plan.Task, failed string) {
	c, arm := e.Plan.Cases[t.Case], e.Plan.Arms[t.Arm]
	suite := e.Plan.Suites[c.Suite]
	r.Config = nil
	set := func(key, value string) {
		if value != "" {
			r.Config = append(r.Config, benchfmt.Config{Key: key, Value: []byte(oneLine(value)), File: true})
		}
	}
	for _, kv := range e.Header {
		set(kv[0], kv[1])
	}
	set(series.KeySuite, suite.Name)
	set(series.KeyPkg, suite.Pkg)
	set(series.KeyArm, series.ArmSetting(arm.Name, arm.Toolchain))
	set(series.KeyToolchain, arm.Toolchain)
	set(series.KeyRole, string(t.Role))
	set(series.KeyFailed, failed)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// addCosts adds the resources that the process used in total, and what the machine did
// meanwhile.
func (e *Engine) addCosts(r *benchfmt.Result, t plan.Task, res proc.Result, x machine.Interference) {
	add := func(unit string, v float64) {
		if v == v { // NaN: the platform does not report it
			r.Values = append(r.Values, benchfmt.Value{Value: v, Unit: unit})
		}
	}
	u := res.Usage
	own := (u.User + u.Sys).Seconds()
	add(series.UnitUser, u.User.Seconds())
	add(series.UnitSys, u.Sys.Seconds())
	// The process's own peak is the most accurate (the patched testing package prints
	// it); the kernel's is never below memcost's.
	if _, own := r.Value(series.UnitRSS); own {
	} else if rss, ok := u.PeakRSS(); ok {
		add(series.UnitRSS, float64(rss))
	}
	add(series.UnitMinorFaults, float64(u.MinorFaults))
	add(series.UnitMajorFaults, float64(u.MajorFaults))
	add(series.UnitVoluntary, float64(u.VoluntarySwitches))
	add(series.UnitInvoluntary, float64(u.InvoluntarySwitches))
	add(series.UnitWall, res.Wall.Seconds())
	add(series.UnitSteal, x.Steal)
	add(series.UnitForeign, x.Foreign(own))
	add(series.UnitPSICPU, x.PSICPU)
	add(series.UnitPSIMemory, x.PSIMemory)
	add(series.UnitPSIIO, x.PSIIO)
	add(series.UnitRound, float64(t.Round))
	add(series.UnitOrder, float64(t.Order))
	add(series.UnitLayout, float64(t.Layout))
	add(series.UnitPadding, float64(t.Padding))
}
