package sample

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
)

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
		benchtime = p.SampleOf(c.Suite).String()
	}
	env := slices.Concat(target.Env, p.Arms[t.Arm].Env, c.Env, p.Suites[c.Suite].TickEnv())
	return proc.Cmd{
		Path:    target.Path,
		Args:    slices.Concat(harnessOf(p.Kind(c)).args(c, benchtime), target.Args),
		Dir:     target.Dir,
		Env:     append(env, paddingVar+"="+strings.Repeat("x", t.Padding)),
		Timeout: p.Options.Timeout,
	}
}
