package sample

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// take runs one process and makes its record. A process that gives no result
// makes a record too, one that says so.
func (e *Engine) take(ctx context.Context, t plan.Task) (*benchfmt.Result, error) {
	c := e.Plan.Cases[t.Case]
	target, err := e.Executor.Target(c, t.Arm, t.Layout)
	if err != nil {
		return nil, err
	}
	if e.Executor.Before != nil {
		if err := e.Executor.Before(ctx); err != nil {
			return nil, err
		}
	}
	beside, err := startLoad(ctx, e.Executor.Runner.Trace, c)
	if err != nil {
		return nil, err
	}
	defer beside.Stop()
	used := cpuOf(beside, e.Load) // asked outside the snapshots: the load's share is never too small
	before, _ := e.Sampler.Snapshot()
	res, o, err := e.Executor.runCase(ctx, harnessOf(e.Plan.Kind(c)), c, e.Plan.Arms[t.Arm].Name, Command(e.Plan, t, target))
	after, _ := e.Sampler.Snapshot()
	used = cpuOf(beside, e.Load) - used
	if err != nil {
		return nil, err
	}
	e.note(t, o.find(c.Printed()))
	if err := beside.Stop(); err != nil && ctx.Err() == nil {
		o = output{failed: []string{c.Base}, words: map[string]string{c.Base: err.Error()}}
	}
	r := e.record(t, res, o)
	e.addCosts(r, t, res, before.Until(after), used)
	return r, nil
}

// note remembers how often the collector runs in an operation and how long it takes, from a sample
// of a process that ran alone.
func (e *Engine) note(t plan.Task, r *benchfmt.Result) {
	if r == nil || t.Role == plan.Quarter || t.Role == plan.Whole || r.Iters <= 0 {
		return
	}
	cycles, ok := r.Value(series.UnitGCCycles)
	if !ok {
		return
	}
	if e.ran == nil {
		e.ran = map[series.ID]ranAlone{}
	}
	sec := secPerOp(r)
	if before := e.ran[e.id(t)].sec; before > 0 {
		sec = min(sec, before)
	}
	e.ran[e.id(t)] = ranAlone{cycles / float64(r.Iters), sec}
}

// record makes the record of a process. One that gave no result has a record, too, which says so.
func (e *Engine) record(t plan.Task, res proc.Result, o output) *benchfmt.Result {
	c := e.Plan.Cases[t.Case]
	r, reason := o.find(c.Printed()), ""
	if r == nil || res.ExitCode != 0 {
		log := e.Executor.keep(e.Plan.Suites[c.Suite].Name, c.Name, e.Plan.Arms[t.Arm].Name, res)
		if reason = why(res, o); log != "" {
			reason += " (" + log + ")"
		}
		r = &benchfmt.Result{Iters: int(t.N)}
		r.Values = append(r.Values, benchfmt.Value{Value: 1, Unit: series.UnitFailed})
	}
	r.Name = benchfmt.Name(c.Name)
	e.describe(r, t, reason)
	return r
}

// startLoad starts what a case is measured beside. It works when this returns. trace, which
// may be nil, is where commands are printed.
func startLoad(ctx context.Context, trace io.Writer, c plan.Case) (*Load, error) {
	if trace != nil && c.Spinning > 0 {
		fmt.Fprintf(trace, "# beside it (%s=%s): %s\n", plan.BusyKey, c.Busy, BusyCores(c.Spinning))
	}
	return Start(ctx, CPU, c.Spinning)
}

// cpuOf returns the CPU time that our own loads have used so far; nil is none.
func cpuOf(loads ...*Load) (used time.Duration) {
	for _, l := range loads {
		if l != nil {
			used += l.CPU()
		}
	}
	return used
}

// describe sets the record's file configuration: what stays the same from
// sample to sample, so that benchstat and its like can group by it. What changes
// with each sample stands among the figures (round, order, layout): as
// configuration it would put every sample into a table of its own.
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
	set(series.ToolchainKey(arm.Name, arm.Toolchain), arm.Toolchain)
	if c.CPP {
		set(series.KeyCompiler, suite.Beside.Compiler)
	}
	set(series.KeyRole, string(t.Role))
	set(series.KeyFailed, failed)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// addCosts adds what the process cost as a whole, and what the machine did
// meanwhile. used is the CPU time of our own load: it is no other program's.
func (e *Engine) addCosts(r *benchfmt.Result, t plan.Task, res proc.Result, x machine.Interference,
	used time.Duration) {
	add := func(unit string, v float64) {
		if v == v { // NaN: the platform does not tell
			r.Values = append(r.Values, benchfmt.Value{Value: v, Unit: unit})
		}
	}
	u := res.Usage
	own := (u.User + u.Sys).Seconds()
	add(series.UnitUser, u.User.Seconds())
	add(series.UnitSys, u.Sys.Seconds())
	// The process itself knows its peak best (the patched testing package
	// prints it); the kernel's account has ours as its floor.
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
	add(series.UnitForeign, x.Foreign(own+used.Seconds()))
	if e.Plan.Cases[t.Case].Busy != "" || used > 0 {
		add(series.UnitLoad, used.Seconds())
	}
	add(series.UnitPSICPU, x.PSICPU)
	add(series.UnitPSIMemory, x.PSIMemory)
	add(series.UnitPSIIO, x.PSIIO)
	add(series.UnitRound, float64(t.Round))
	add(series.UnitOrder, float64(t.Order))
	add(series.UnitLayout, float64(t.Layout))
	add(series.UnitPadding, float64(t.Padding))
}
