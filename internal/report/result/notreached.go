package result

import (
	"fmt"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
)

// notReached says which cases a run did not reach in its budget, and how to go on with them;
// "" if it reached all.
func notReached(p *plan.Plan, dir string) string {
	n := len(p.NotReached)
	if n == 0 {
		return ""
	}
	const most = 5 // run.json names all
	var names []string
	for _, l := range p.NotReached[:min(n, most)] {
		names = append(names, l.Name)
	}
	more := ""
	if n > most {
		more = fmt.Sprintf(" and %d more, which run.json names", n-most)
	}
	// As many rounds for the others take as much time as those that were measured.
	share := float64(n+len(p.Cases)) / float64(max(len(p.Cases), 1))
	budget := time.Duration(float64(p.Options.Budget) * share).Round(time.Minute)
	return fmt.Sprintf("%s not reached in the budget of %v: %s%s; go on with them, as far as the budget of the whole "+
		"run goes (for all about %v): memcost run --resume %s --budget TIME",
		units.Plural(n, "case"), p.Options.Budget, strings.Join(names, ", "), more, max(budget, time.Minute), dir)
}
