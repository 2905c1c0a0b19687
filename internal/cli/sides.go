package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
)

// compareSides compares revisions, toolchains, settings and build flags of Go benchmarks.
func comparingCompareSides(ctx context.Context, a *App, f *compareFlags, args []string, given func(string) bool) error {
	o, err := f.options(given)
	if err != nil {
		return err
	}
	if o.Sides, o.Args, err = source.Arguments(args, isStudy); err != nil {
		return err
	}
	if len(o.Args) == 0 {
		o.Args = []string{"."}
	}
	for _, n := range []string{"stdin", "prepare"} {
		if given(n) {
			return hint.Usage("memcost compare --command './old' './new'", "--%s is for commands (--command)", n)
		}
	}
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	o.Origin = a.Origin()
	r, err := session.Begin(ctx, t, o)
	if r != nil {
		defer r.Close()
	}
	switch {
	case err != nil && ctx.Err() != nil && !hint.IsUsage(err):
		return ErrInterrupted()
	case err != nil:
		return err
	case f.dryRun:
		p.End()
		printOneSided(a, r.Question)
		return PrintPlan(a.Stdout, r, f.json || f.format == "json")
	}
	return measureComparison(ctx, a, r, p, f)
}

func isStudy(name string) bool { _, err := session.Study(name); return err == nil }

// measureComparison takes the samples, and shows what they say.
func measureComparison(ctx context.Context, a *App, r *session.Run, p *Progress, f *compareFlags) error {
	release := a.Alone(p)
	stop, err := r.Measure(ctx)
	release()
	p.End()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "stopped: %s; %s of measuring\n", stop, r.Measured.Round(time.Second))
	r.Close() // the run is over
	shown := showComparison(a, r.Folder.Dir, f)
	if stop == sample.Interrupted {
		return goOn(r.Folder.Dir, "; everything measured so far is kept")
	}
	if shown != nil {
		return shown
	}
	return notCompared(r)
}

// notCompared is the error of a comparison of which something could not be built or run; the
// rest has been shown.
func notCompared(r *session.Run) error {
	failed := slices.DeleteFunc(slices.Clone(r.Question.Plan.Failures), func(x plan.Failure) bool { return x.Skipped })
	switch {
	case len(r.Broken) > 0:
		return fmt.Errorf("not everything could be compared: %s left out, as said above",
			units.Plural(len(r.Broken), "build"))
	case len(failed) > 0:
		return fmt.Errorf("not everything could be compared: %s failed, %s on %s: %s",
			units.Plural(len(failed), "benchmark"), failed[0].Name, failed[0].Arm, failed[0].Reason)
	}
	return nil
}

// printOneSided lists the benchmarks that some sides do not have.
func printOneSided(a *App, q *plan.Question) {
	for _, x := range q.Comparison.OneSided {
		fmt.Fprintf(a.Stderr, "not compared: %s is only on %s\n", strings.TrimSpace(x.Suite+" "+x.Name),
			strings.Join(x.On, ", "))
	}
}

// resumeSides goes on with the comparison of such sides in a folder.
func resumeSides(cmd *cobra.Command, a *App, f *compareFlags, args []string) error {
	ctx := cmd.Context()
	q, err := Resumed(cmd, f.resume, args)
	if err != nil {
		return err
	}
	if q.Comparison == nil {
		return hint.Usage("go on with: memcost run --resume "+f.resume, "run folder %s is not one of memcost compare",
			f.resume)
	}
	if err := f.mayResume(cmd); err != nil {
		return err
	}
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	changes := session.Changes{Budget: f.budget, Rounds: f.rounds}
	if cmd.Flags().Changed("timeout") {
		changes.Timeout = f.timeout
	}
	if undecided := false; f.rounds > 0 {
		changes.StopWhenDecided = &undecided
	}
	r, err := session.Resume(ctx, t, f.resume, q, changes)
	if r != nil {
		defer r.Close()
	}
	if err != nil {
		if ctx.Err() != nil && !hint.IsUsage(err) {
			return goOn(f.resume, " before the next sample; everything measured so far is kept")
		}
		return err
	}
	return measureComparison(ctx, a, r, p, f)
}

// completeSides offers what a side may be: branches and tags, the work tree, studies.
func completeSides(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	out, how := CompleteStudies(cmd, args, prefix)
	if len(args) < 2 {
		out = []string{".\tthe files as they lie"}
	}
	dir, err := os.Getwd()
	if err != nil {
		return out, how
	}
	if repo, err := source.Open(cmd.Context(), &proc.Runner{}, os.Environ(), dir); err == nil && len(args) < 2 {
		out = append(out, repo.Names(cmd.Context())...)
	}
	return out, how
}
