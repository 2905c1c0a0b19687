package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

// searchFlags are the flags that every command has which finds figures one by one.
type searchFlags struct {
	session.SearchOptions
	resume  string
	verbose bool
	gate    bool
	show    show
}

// register adds the flags that all searches have; thing is what is searched.
func (f *searchFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.Results, "results", "results", "make the run folder in `DIR`")
	fl.StringVar(&f.resume, "resume", "", "go on with the search in `DIR`")
	fl.BoolVarP(&f.DryRun, "dry-run", "n", false, "print what would be tried")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	fl.BoolVar(&f.gate, "gate", false, "exit with status 3 if a claim fails here, or something could not be found")
	f.show.register(cmd)
}

// beginSearch begins a search, or goes on with one.
func beginSearch(a *App, cmd *cobra.Command, f *searchFlags) error {
	if cmd.Flags().Changed("resume") {
		q, err := Resumed(cmd, f.resume, nil)
		if err != nil {
			return err
		}
		if q.Recorded != f.Kind {
			return hint.Usage("go on with: memcost run --resume "+f.resume, "run folder %s is not one of memcost %s",
				f.resume, f.Kind)
		}
		var may []string
		if cmd.Flags().Lookup("timeout") != nil {
			may = []string{"timeout"}
		}
		if err := MayChange(cmd, may...); err != nil {
			return err
		}
		return resumeSearch(cmd.Context(), a, q, f.Timeout, f)
	}
	f.Origin = a.Origin()
	return findAndShow(cmd.Context(), a, f, func(ctx context.Context, t *session.Tools) (*session.Search, error) {
		return session.BeginSearch(ctx, t, f.SearchOptions)
	})
}

func resumeSearch(ctx context.Context, a *App, q *plan.Question, timeout time.Duration, f *searchFlags) error {
	return findAndShow(ctx, a, f, func(ctx context.Context, t *session.Tools) (*session.Search, error) {
		return session.ResumeSearch(ctx, t, f.resume, q, timeout)
	})
}

// findAndShow begins a search, or goes on with one, and prints the answer.
func findAndShow(ctx context.Context, a *App, f *searchFlags,
	begin func(ctx context.Context, t *session.Tools) (*session.Search, error)) error {
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	s, err := begin(ctx, t)
	if s != nil {
		defer s.Close()
	}
	switch {
	case err != nil:
		return err
	case f.DryRun:
		t.Log.End()
		return a.Lines(s.Lines())
	}
	found := s.Find(ctx)
	if found != nil && (ctx.Err() == nil || s.Found() == 0) {
		return found
	}
	ans, err := answerOf(a, s.Folder.Dir, false, f.show)
	switch {
	case err != nil:
		return err
	case found != nil:
		return found
	case f.gate:
		return finding(ans, s.Question.LeftOut)
	}
	return nil
}
