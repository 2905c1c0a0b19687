package cli

import (
	"context"
	"regexp"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

// searchFlags are the flags that every command has which finds figures one by one.
type searchFlags struct {
	session.SearchOptions
	measuringFlags
}

// register adds the flags that all searches have to those of one.
func (f *searchFlags) register(cmd *cobra.Command, own ...flags) {
	register(cmd, append(own, f.outputFlags.flags().pick("json", "open", "long = print all studies in full, with every case"),
		f.gateFlags.flags("if a claim fails here, or something could not be found"),
		f.folderFlags.flags().pick("results", "resume", "dry-run = print what would be tried", "verbose"))...)
}

// regular takes a regular expression.
func regular(s string) error {
	if _, err := regexp.Compile(s); err != nil {
		return hint.With("https://pkg.go.dev/regexp/syntax", err)
	}
	return nil
}

// beginSearch begins a search, or goes on with one.
func beginSearch(a *App, cmd *cobra.Command, f *searchFlags) error {
	if f.resume != "" {
		q, err := resumed(f.Kind, f.resume, nil)
		if err != nil {
			return err
		}
		if err := mayChange(cmd, ofSearch); err != nil {
			return err
		}
		return resumeSearch(cmd.Context(), a, q, f)
	}
	o := f.SearchOptions
	o.Origin, o.Results, o.DryRun = a.Origin(), f.results, f.dryRun
	o.Go, o.Vary, o.Timeout, o.Published = f.versions, f.vary, f.timeout, f.published != ""
	return findAndShow(cmd.Context(), a, f, func(ctx context.Context, t *session.Tools) (*session.Search, error) {
		return session.BeginSearch(ctx, t, o)
	})
}

func resumeSearch(ctx context.Context, a *App, q *plan.Question, f *searchFlags) error {
	return findAndShow(ctx, a, f, func(ctx context.Context, t *session.Tools) (*session.Search, error) {
		return session.ResumeSearch(ctx, t, f.resume, q, f.timeout)
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
	case f.dryRun:
		t.Log.End()
		return a.Lines(s.Lines())
	}
	found := s.Find(ctx)
	if found != nil && (ctx.Err() == nil || s.Found() == 0) {
		return found
	}
	ans, err := answerOf(a, s.Folder.Dir, false, f.outputFlags)
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
