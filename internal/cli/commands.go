package cli

import (
	"context"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

// compareCommands compares command lines, or settings of one.
func compareCommands(ctx context.Context, a *App, f *compareFlags, args []string, given func(string) bool) error {
	for _, flag := range []string{"bench", "cpu", "tags", "build-flag", "sample", "layouts", "each", "go"} {
		if given(flag) {
			return hint.Usage("it is for benchmarks: leave it out, or --command", "--%s means nothing to a command",
				flag)
		}
	}
	if len(f.testArgs) > 0 {
		return hint.Usage("write them into the command: 'program -a'", "arguments behind -- are those of benchmarks")
	}
	return compareReady(ctx, a, f, session.Lines{Args: args}, given)
}

// compareReady compares sides that need no building.
func compareReady(ctx context.Context, a *App, f *compareFlags,
	sides session.Sides, given func(string) bool) error {
	read, err := f.options(given)
	if err != nil {
		return err
	}
	for _, flag := range []string{"tags", "build-flag", "layouts", "sample"} {
		if given(flag) {
			return hint.Usage("leave it out", "--%s means nothing to programs that are built already", flag)
		}
	}
	o := session.CommandOptions{Origin: a.Origin(), Sides: sides, Results: f.results, Label: f.label, DryRun: f.dryRun,
		Stdin: f.stdin, Prepare: f.prepare, TestArgs: f.testArgs, Bench: f.bench, CPU: read.CPU, Margin: read.Margin,
		Alpha: f.alpha, Budget: f.budget, Timeout: f.timeout, Rounds: f.rounds, Seed: read.Seed}
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	r, err := session.BeginCommands(ctx, t, o)
	return measureReady(ctx, a, f, r, p, err)
}

// resumeReady goes on with the comparison of such sides in a folder.
func resumeReady(ctx context.Context, a *App, f *compareFlags, q *plan.Question, given func(string) bool) error {
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	c := session.CommandChanges{Budget: f.budget, Rounds: f.rounds}
	if given("timeout") {
		c.Timeout = f.timeout
	}
	r, err := session.ResumeCommands(ctx, t, f.resume, q, c)
	return measureReady(ctx, a, f, r, p, err)
}

// measureReady takes the samples of a comparison that was prepared, or was not, and shows it.
func measureReady(ctx context.Context, a *App, f *compareFlags, r *session.CommandRun, p *Progress,
	err error) error {
	return a.MeasureSides(ctx, r, err, p, Sides{Command: "compare", Resume: f.resume, DryRun: f.dryRun,
		Show: func(dir string) error { return showComparison(a, dir, f) }})
}
