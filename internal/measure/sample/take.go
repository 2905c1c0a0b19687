package sample

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
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
	target, err := e.Executor.Target(c, t.Side, t.Layout)
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
	ours := machine.OwnCPU()
	before, _ := e.Sampler.Snapshot()
	res, o, err := e.Executor.runCase(ctx, harnessOf(e.Plan.Kind(c)), c, e.Plan.Sides[t.Side].Name, t.Role, Command(e.Plan, t, target))
	after, _ := e.Sampler.Snapshot()
	used = cpuOf(beside, e.Load) - used
	ours = machine.OwnCPU() - ours
	if err != nil {
		return nil, err
	}
	e.note(t, o.find(c.Printed()))
	if err := beside.Stop(); err != nil && ctx.Err() == nil {
		o = output{failed: []string{c.Base}, words: map[string]string{c.Base: err.Error()}}
	}
	r := e.record(t, res, o)
	e.addCosts(r, t, res, before.Until(after).Without(ours+res.Beside.Seconds()), used)
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
		log := e.Executor.keep(e.Plan.Studies[c.Study].Name, c.Name, e.Plan.Sides[t.Side].Name, res)
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
	c, compiler := e.Plan.Cases[t.Case], ""
	study := e.Plan.Studies[c.Study]
	if c.CPP {
		compiler = study.Beside.Compiler
	}
	e.configure(r, study, e.Plan.Sides[t.Side], string(t.Role), compiler, failed)
}

func (e *Engine) configure(r *benchfmt.Result, study plan.Study, arm plan.Side, role, compiler, failed string) {
	r.Config = nil
	set := func(key, value string) {
		if value != "" {
			r.Config = append(r.Config, benchfmt.Config{Key: key,
				Value: []byte(strings.Join(strings.Fields(value), " ")), File: true})
		}
	}
	for _, kv := range e.Header {
		set(kv[0], kv[1])
	}
	set(series.KeyStudy, study.Name)
	set(series.KeyPkg, study.Pkg)
	set(series.KeySide, series.SideSetting(arm.Name, arm.Toolchain))
	set(series.ToolchainKey(arm.Name, arm.Toolchain), arm.Toolchain)
	set(series.KeyCompiler, compiler)
	set(series.KeyRole, role)
	set(series.KeyFailed, failed)
}

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

// Take takes the sample of the first task as an engine's Run does, and those of the tasks behind
// it whose processes take turns with it. It returns their records in this order; the caller keeps
// them. Of the engine's fields it needs Plan, Executor, Sampler and Header.
func (e *Engine) Take(ctx context.Context, tasks []plan.Task) ([]*benchfmt.Result, error) {
	return e.takeNext(ctx, tasks, 0, func(plan.Task) bool { return false })
}

// Quiet keeps this process's garbage collector from running while samples are taken, as Run
// does, until the function that it returns is called. The caller collects between rounds.
func Quiet() (restore func()) {
	limit, percent := debug.SetMemoryLimit(quiet), debug.SetGCPercent(-1)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}

// paddingVar is the environment variable that carries the random padding.
const paddingVar = "MEMCOST_PADDING"

// BusyCores says what keeps so many cores busy.
func BusyCores(n int) string {
	if n == 1 {
		return "1 process that keeps a core busy"
	}
	return fmt.Sprintf("%d processes that keep a core busy each", n)
}

// Command is the process that takes a sample. That of a case that was not calibrated takes as
// long as the sample is to be.
func Command(p *plan.Plan, t plan.Task, target Target) proc.Cmd {
	c := p.Cases[t.Case]
	benchtime := fmt.Sprintf("%dx", t.N)
	if t.N == 0 {
		benchtime = p.SampleOf(c.Study).String()
	}
	env := slices.Concat(target.Env, p.Sides[t.Side].Env, c.Env, p.Studies[c.Study].TickEnv())
	return proc.Cmd{
		Path:    target.Path,
		Args:    slices.Concat(harnessOf(p.Kind(c)).args(c, benchtime), target.Args),
		Dir:     target.Dir,
		Env:     append(env, paddingVar+"="+strings.Repeat("x", t.Padding)),
		Timeout: p.Options.Timeout,
	}
}

// FloorRounds is the number of leading rounds in which the empty loop and the plain copy are
// measured, which the guards compare with: twice what a first verdict takes.
const FloorRounds = 16

// floorIterations take an empty loop about a millisecond.
const floorIterations = 3_000_000

// measureFloor measures the empty loop on every arm, and a plain copy, and records both like
// samples, in a role of their own. Whoever has no binary for it (a C++ program, a toolchain
// that cannot build it) goes without.
func (e *Engine) measureFloor(ctx context.Context, round int) error {
	if e.Plan.Options.NoGuards || round >= FloorRounds || e.Plan.Has(plan.Command) {
		return nil
	}
	for arm, a := range e.Plan.Sides {
		s := e.set.Get(series.ID{Study: series.FloorStudy, Case: series.FloorCopy, Side: a.Name, Role: series.RoleFloor})
		if s != nil && len(s.Rounds) > 0 && int(s.Rounds[len(s.Rounds)-1]) >= round {
			continue // the folder has it
		}
		results := []*benchfmt.Result{copyResult()}
		target, ok := Target{}, false
		if e.Executor.Floor != nil {
			target, ok = e.Executor.Floor(arm)
		}
		if ok {
			args := testArgs(".", fmt.Sprintf("%dx", floorIterations), 1)
			res, err := e.Executor.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir,
				Env: slices.Concat(target.Env, a.Env), Args: args, Timeout: e.Plan.Options.Timeout})
			if err != nil {
				return err
			}
			results = append(results, parse(res.Stdout, 1).results...)
		}
		for _, r := range results {
			e.configure(r, plan.Study{Name: series.FloorStudy, Pkg: series.FloorStudy}, a, series.RoleFloor, "", "")
			r.Values = append(r.Values, benchfmt.Value{Value: float64(round), Unit: series.UnitRound})
		}
		if err := e.Folder.Append(results...); err != nil {
			return err
		}
		for _, r := range results {
			e.set.Add(r)
		}
	}
	return ctx.Err()
}

// copyResult measures a plain copy that stays in the first cache, of this process.
func copyResult() *benchfmt.Result {
	sec, times := machine.CopyTime(series.FloorCopySize)
	return &benchfmt.Result{Name: benchfmt.Name(series.FloorCopy), Iters: times,
		Values: []benchfmt.Value{{Value: sec, Unit: "sec/op"}}}
}

// seemsToDepend reports whether the rounds of the sieve say that a case's
// cost may depend on N on an arm: each time by more than noise usually does, and in the same
// direction.
func (e *Engine) seemsToDepend(c, arm int) bool {
	full, quarter := e.series(cell{c, arm}), e.role(cell{c, arm}, plan.Quarter)
	if full == nil || quarter == nil {
		return false
	}
	short, long := early(quarter, plan.SieveRounds), early(full, len(full.Rounds))
	n, longer := 0, 0
	for round, s := range short {
		l, ok := long[round]
		switch {
		case !ok:
		case !plan.Suspicious(s, l):
			return false
		case s > l:
			n, longer = n+1, longer+1
		default:
			n++
		}
	}
	return n > 0 && (longer == 0 || longer == n)
}

// early returns a case's times of its first rounds, by round: as many as the sieve has.
func early(s *series.Series, most int) map[int]float64 {
	out := map[int]float64{}
	for i, v := range s.Values("sec/op") {
		if i < most {
			out[int(s.Rounds[i])] = v
		}
	}
	return out
}
