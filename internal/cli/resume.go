package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

// resumeAny goes on with the run in a folder, whichever command began it.
func resumeAny(a *App, cmd *cobra.Command, f *runFlags, args []string) error {
	q, err := Resumed(cmd, f.resume, args)
	if err != nil {
		return err
	}
	if q.Attempt != nil {
		return hint.Usage("memcost run --plan plan.json begins another attempt, which goes on from its rounds",
			"%s holds an attempt at a shard of a plan, which is not gone on with", f.resume)
	}
	timeout := f.Timeout
	if !cmd.Flags().Changed("timeout") {
		timeout = 0
	}
	if q.Comparison != nil && q.Comparison.Alloc != nil {
		return resumeAlloc(cmd, a, q, allocResumption{Dir: f.resume, Budget: f.Budget, Timeout: timeout,
			Rounds: f.Rounds, JSON: f.show.json, Long: f.show.long, Open: f.show.open, Verbose: f.verbose})
	}
	if q.Comparison != nil {
		return resumeCompare(cmd, a, compareResumption{Dir: f.resume, Gate: gateOfComparison(f.gate),
			Budget: f.Budget, Timeout: f.Timeout, Rounds: f.Rounds, Alpha: f.Alpha, JSON: f.show.json,
			Long: f.show.long, Open: f.show.open, Verbose: f.verbose}, args)
	}
	if q.Recorded != "" {
		if err := MayChange(cmd, "timeout"); err != nil {
			return err
		}
		return resumeSearch(cmd.Context(), a, q, timeout, &searchFlags{resume: f.resume, verbose: f.verbose,
			gate: f.gate != "", show: f.show})
	}
	if err := MayChange(cmd, "budget", "precision", "rounds", "timeout", "stop-when-decided"); err != nil {
		return err
	}
	if _, err := f.gateOf(); err != nil {
		return err
	}
	if err := f.numbers(Changed(cmd)); err != nil {
		return err
	}
	changes := session.Changes{Budget: f.Budget, Precision: f.Precision, Rounds: f.Rounds, Timeout: timeout}
	if cmd.Flags().Changed("stop-when-decided") {
		changes.StopWhenDecided = &f.StopWhenDecided
	}
	return resumeRun(cmd.Context(), a, q, changes, f)
}

func resumeRun(ctx context.Context, a *App, q *plan.Question, changes session.Changes, f *runFlags) error {
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	r, err := session.Resume(ctx, t, f.resume, q, changes)
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
