package cli

import (
	"context"
	"errors"
	"fmt"
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
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	f.Origin = a.Origin()
	s, err := session.BeginSearch(cmd.Context(), t, f.SearchOptions)
	return findAndShow(cmd.Context(), a, s, err, p, f)
}

func resumeSearch(ctx context.Context, a *App, q *plan.Question, timeout time.Duration, f *searchFlags) error {
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	s, err := session.ResumeSearch(ctx, t, f.resume, q, timeout)
	return findAndShow(ctx, a, s, err, p, f)
}

// findAndShow searches, and prints the answer.
func findAndShow(ctx context.Context, a *App, s *session.Search, err error, p *Progress, f *searchFlags) error {
	if s != nil {
		defer s.Close()
	}
	if err != nil {
		if ctx.Err() != nil && !hint.IsUsage(err) {
			return errors.New("interrupted before anything was found")
		}
		return err
	}
	if f.DryRun {
		p.End()
		return a.Lines(s.Lines())
	}
	goOn := "go on with: memcost run --resume " + s.Folder.Dir
	err = s.Find(ctx)
	p.End()
	switch {
	case err != nil && ctx.Err() == nil:
		return hint.With(goOn, fmt.Errorf("%w; what was found so far is kept", err))
	case err != nil && s.Found() == 0:
		return hint.With(goOn, errors.New("interrupted before anything was found"))
	}
	ans, shown := answerOf(a, s.Folder.Dir, false, f.show)
	switch {
	case shown != nil:
		return shown
	case ctx.Err() != nil:
		return hint.With(goOn, errors.New("interrupted; everything found so far is kept"))
	case f.gate:
		return finding(ans, s.Question.LeftOut)
	}
	return nil
}
