package cli

import (
	"fmt"
	"strings"

	"memcost/internal/plan"
	"memcost/internal/sample"
)

// printPlan prints what a run would do: the arms, the cases with their
// iterations, how long a round takes, and the commands of the first round in
// their order.
func (s *session) printPlan() error {
	s.progress.end()
	p, w := &s.question.Plan, s.app.stdout
	if s.flags.json {
		return writeJSON(w, s.question)
	}
	o := p.Options
	plain, guarded := p.RoundTime()
	fmt.Fprintf(w, "profile   %s: samples of %v or more, precision %g%%, budget %v, α = %g, seed %d, %d layouts\n",
		o.Profile, o.Sample, 100*o.Precision, o.Budget, o.Alpha, o.Seed, o.Layouts)
	for i, a := range p.Arms {
		fmt.Fprintf(w, "arm %-5d %s\n", i, a.Name)
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
	for _, t := range p.Round(0, func(int) bool { return true }) {
		target, err := s.lab.Target(t.Arm, p.Cases[t.Case].Suite, t.Layout)
		if err != nil {
			return err
		}
		// The padding is written so that a shell makes it, and a reader sees the rest.
		cmd := sample.Command(p, t, target).String()
		if t.Padding > 0 {
			cmd = strings.Replace(cmd, strings.Repeat("x", t.Padding), fmt.Sprintf("$(printf %%%ds | tr ' ' x)", t.Padding), 1)
		}
		fmt.Fprintln(w, cmd)
	}
	return nil
}
