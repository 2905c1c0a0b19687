package session

import (
	"fmt"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// Lines says what would be measured: the sides, the benchmarks, and the commands of a round.
func (r *CommandRun) Lines() []string {
	p := &r.Question.Plan
	var out []string
	for i, a := range p.Arms {
		out = append(out, fmt.Sprintf("config %-2d %s", i, a.Name))
	}
	if r.prepared.Path != "" {
		out = append(out, "before each sample: "+r.prepared.String())
	}
	for c, x := range p.Cases {
		if !p.Has(plan.Command) {
			out = append(out, fmt.Sprintf("benchmark %s", x.Name))
			p.Cases[c].N, p.Cases[c].Estimate = 0, 0 // not calibrated: the commands have a time
		}
		for i := range p.Arms {
			cmd := sample.Command(p, plan.Task{Case: c, Arm: i, N: p.Cases[c].N}, r.targets[i])
			out = append(out, cmd.String())
		}
	}
	return out
}
