package sample

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

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
	for arm, a := range e.Plan.Arms {
		results := []*benchfmt.Result{copyResult()}
		if e.floorTaken(a.Name, round) {
			continue
		}
		if target, ok := e.floorTarget(arm); ok {
			args := testArgs(".", fmt.Sprintf("%dx", floorIterations), 1)
			res, err := e.Executor.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir,
				Env: slices.Concat(target.Env, a.Env), Args: args, Timeout: e.Plan.Options.Timeout})
			if err != nil {
				return err
			}
			results = append(results, parse(res.Stdout, 1).results...)
		}
		for _, r := range results {
			e.describeFloor(r, arm, round)
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

func (e *Engine) floorTarget(arm int) (Target, bool) {
	if e.Executor.Floor == nil {
		return Target{}, false
	}
	return e.Executor.Floor(arm)
}

func (e *Engine) floorTaken(arm string, round int) bool {
	s := e.set.Get(series.ID{Suite: series.FloorSuite, Case: series.FloorCopy, Arm: arm, Role: series.RoleFloor})
	return s != nil && len(s.Rounds) > 0 && int(s.Rounds[len(s.Rounds)-1]) >= round
}

func (e *Engine) describeFloor(r *benchfmt.Result, arm, round int) {
	r.Config = nil
	set := func(key, value string) {
		if value != "" {
			r.Config = append(r.Config, benchfmt.Config{Key: key, Value: []byte(oneLine(value)), File: true})
		}
	}
	for _, kv := range e.Header {
		set(kv[0], kv[1])
	}
	a := e.Plan.Arms[arm]
	set(series.KeySuite, series.FloorSuite)
	set(series.KeyPkg, series.FloorSuite)
	set(series.KeyArm, series.ArmSetting(a.Name, a.Toolchain))
	set(series.ToolchainKey(a.Name, a.Toolchain), a.Toolchain)
	set(series.KeyRole, series.RoleFloor)
	r.Values = append(r.Values, benchfmt.Value{Value: float64(round), Unit: series.UnitRound})
}

// copyResult measures a plain copy that stays in the first cache, of this process.
func copyResult() *benchfmt.Result {
	sec, times := machine.CopyTime(series.FloorCopySize)
	return &benchfmt.Result{Name: benchfmt.Name(series.FloorCopy), Iters: times,
		Values: []benchfmt.Value{{Value: sec, Unit: "sec/op"}}}
}

// sieved returns a function that reports whether the rounds of the sieve say that a case's
// cost may depend on N on an arm: each time by more than noise usually does, and in the same
// direction.
func (e *Engine) sieved() func(c, arm int) bool {
	return func(c, arm int) bool { return e.seemsToDepend(c, arm) }
}

func (e *Engine) seemsToDepend(c, arm int) bool {
	x := e.Plan.Cases[c]
	id := series.ID{Suite: e.Plan.Suites[x.Suite].Name, Case: x.Name, Arm: e.Plan.Arms[arm].Name}
	full := e.set.Get(id)
	id.Role = string(plan.Quarter)
	quarter := e.set.Get(id)
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
