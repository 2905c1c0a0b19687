package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"memcost/internal/front"
	"memcost/internal/hint"
	"memcost/internal/plan"
	"memcost/internal/run"
)

// resumeAny goes on with the run in a folder, whichever command began it.
func resumeAny(a *app, cmd *cobra.Command, f *runFlags, args []string) error {
	q, err := resumed(cmd, f.resume, args)
	if err != nil {
		return err
	}
	timeout := f.Timeout
	if !cmd.Flags().Changed("timeout") {
		timeout = 0
	}
	if q.Comparison != nil {
		return resumeComparison(cmd, a, &compareFlags{resume: f.resume, budget: f.Budget, rounds: f.Rounds,
			timeout: f.Timeout, alpha: f.Alpha, margin: "1%", verbose: f.verbose, json: f.show.json, long: f.show.long,
			open: f.show.open, gate: gateOfComparison(f.gate)}, args)
	}
	if q.Recorded != "" {
		if err := mayChange(cmd, "timeout"); err != nil {
			return err
		}
		return resumeSearch(cmd.Context(), a, q, timeout, &searchFlags{resume: f.resume, verbose: f.verbose,
			gate: f.gate != "", show: f.show})
	}
	if err := mayChange(cmd, "budget", "precision", "rounds", "timeout", "stop-when-decided"); err != nil {
		return err
	}
	if _, err := f.gateOf(); err != nil {
		return err
	}
	if err := f.numbers(front.Changed(cmd)); err != nil {
		return err
	}
	changes := run.Changes{Budget: f.Budget, Precision: f.Precision, Rounds: f.Rounds, Timeout: timeout}
	if cmd.Flags().Changed("stop-when-decided") {
		changes.StopWhenDecided = &f.StopWhenDecided
	}
	return resumeRun(cmd.Context(), a, q, changes, f)
}

func resumeRun(ctx context.Context, a *app, q *plan.Question, changes run.Changes, f *runFlags) error {
	p := front.NewProgress(a.stderr)
	defer p.End()
	t, err := a.tools(p, f.verbose)
	if err != nil {
		return err
	}
	r, err := run.Resume(ctx, t, f.resume, q, changes)
	if r != nil {
		defer r.Close()
	}
	if err != nil {
		if ctx.Err() != nil && !hint.IsUsage(err) {
			return hint.With("go on with: memcost run --resume "+f.resume,
				errors.New("interrupted before the next sample; everything measured so far is kept"))
		}
		return err
	}
	return measure(ctx, a, r, p, f)
}
