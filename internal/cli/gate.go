package cli

import (
	"errors"
	"fmt"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// ErrClosed ends a --gate comparison that found a regression.
var ErrClosed = errors.New("the gate is closed (--gate)")

// GateOf returns what --gate asks for, nil where it was not given.
func GateOf(flag string) (*compare.Gate, error) {
	if flag == "" {
		return nil, nil
	}
	return compare.Parse(flag)
}

// Closed returns what closes the gate, nil where nothing does. What is undecided is counted
// where it closes none.
func Closed(a *App, r *compare.Report, g *compare.Gate) error {
	if g == nil {
		return nil
	}
	found := g.Check(r)
	if len(found) == 0 {
		undecided := 0
		for side := 1; side < len(r.Sides); side++ {
			undecided += r.Count(side, compare.Time).Undecided
		}
		if undecided > 0 && !g.Undecided() {
			more := "more samples may decide more"
			if r.Interleaved {
				more = "a longer --budget decides more"
			}
			fmt.Fprintf(a.Stderr, "note: --gate: undecided are the times of %s, which closes no gate; with "+
				"--gate=undecided it does, and %s\n", units.Plural(undecided, "comparison"), more)
		}
		return nil
	}
	const most = 10
	var says []string
	for i, f := range found {
		if i == most {
			says = append(says, fmt.Sprintf("and %d more", len(found)-most))
			break
		}
		says = append(says, f.Says)
	}
	return fmt.Errorf("%w: %s", ErrClosed, strings.Join(says, "\n  "))
}

// RecordedReport compares the configurations of a run, or several runs and files with the
// first of them, which were not measured in turns: a weaker statement.
func RecordedReport(answers []*result.Answer) (*compare.Report, error) {
	if len(answers) > 1 {
		return compare.OfFiles(answers, claim.Margin, plan.Alpha), nil
	}
	r, err := compare.OfRun(answers[0])
	if err != nil {
		return nil, hint.Usage("name two runs or files: memcost report OLD NEW --gate", "--gate: %w", err)
	}
	return r, nil
}
