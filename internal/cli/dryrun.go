package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"memcost/internal/plan"
	"memcost/internal/run"
	"memcost/internal/sample"
)

// printPlan prints what a run would do: the configurations, the cases with their iterations,
// how long a round takes, and the commands of the first round in their order.
func printPlan(a *app, r *run.Run, asJSON bool) error {
	p, w := &r.Question.Plan, a.stdout
	if asJSON {
		return writeJSON(w, r.Question)
	}
	o := p.Options
	plain, guarded := p.RoundTime()
	fmt.Fprintf(w, "profile   %s: samples of %v or more, precision %g%%, budget %v, α = %g, seed %d, %d layouts\n",
		o.Profile, o.Sample, 100*o.Precision, o.Budget, o.Alpha, o.Seed, o.Layouts)
	for i, a := range p.Arms {
		fmt.Fprintf(w, "config %-2d %s\n", i, a.Name)
	}
	printLoads(w, p)
	if o.Slices > 0 && len(p.Arms) > 1 && p.Has(plan.GoTest) {
		fmt.Fprintf(w, "slices    the configurations of a case take turns after its guards: up to %d a sample\n",
			o.Slices)
	}
	groups := p.Groups()
	fmt.Fprintf(w, "cases     %d in %d comparisons; a round takes about %v (the first %d, with their guards, %v)\n\n",
		len(p.Cases), len(groups), plain.Round(1e8), plan.GuardRounds, guarded.Round(1e8))
	for g, members := range groups {
		var names []string
		for _, c := range members {
			names = append(names, fmt.Sprintf("%s ×%d", p.Cases[c].Name, p.Cases[c].N))
		}
		mark := ""
		if !p.Mine(g) {
			mark = " (not in this shard)"
		}
		fmt.Fprintf(w, "comparison %d%s: %s\n", g, mark, strings.Join(names, " | "))
	}
	fmt.Fprintf(w, "\nround 0\n")
	samples, err := r.FirstRound()
	if err != nil {
		return err
	}
	for _, s := range samples {
		// The padding is written so that a shell makes it, and a reader sees the rest.
		cmd := s.Command.String()
		if n := s.Task.Padding; n > 0 {
			cmd = strings.Replace(cmd, strings.Repeat("x", n), fmt.Sprintf("$(printf %%%ds | tr ' ' x)", n), 1)
		}
		if n := p.Cases[s.Task.Case].Spinning; n > 0 {
			cmd += "  # beside " + sample.BusyCores(n)
		}
		fmt.Fprintln(w, cmd)
	}
	return nil
}

// printLoads prints what the cases are measured beside, where they are measured beside
// something.
func printLoads(w io.Writer, p *plan.Plan) {
	var said []string
	for _, c := range p.Cases {
		if c.Busy == "" || slices.Contains(said, c.Busy) {
			continue
		}
		said = append(said, c.Busy)
		what := "beside " + sample.BusyCores(c.Spinning)
		if c.Spinning == 0 {
			what = "alone"
		}
		fmt.Fprintf(w, "busy=%-4s %s\n", c.Busy, what)
	}
}
