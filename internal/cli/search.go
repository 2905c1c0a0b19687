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
	commonFlags
	plan.Search
	kind string // session.Limits, Cliffs or Latency
	keep bool   // downloaded toolchains
}

// register adds the flags that all searches have to those of one.
func (f *searchFlags) register(cmd *cobra.Command, own ...flags) {
	register(cmd, append(own, f.output().pick("json", "open", "long = print all studies in full, with every case"),
		f.gates("if a claim fails here, or something could not be found"),
		f.folder().pick("results", "resume", "trust", "dry-run = print what would be tried", "verbose"))...)
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
	if f.resume == "" {
		return search(cmd.Context(), a, f, nil)
	}
	q, err := a.resumed(f.kind, &f.commonFlags, nil)
	if err != nil {
		return err
	}
	if err := mayChange(cmd, ofSearch); err != nil {
		return err
	}
	return search(cmd.Context(), a, f, q)
}

// search begins a search, or goes on with that of a question, and prints the answer.
func search(ctx context.Context, a *App, f *searchFlags, q *plan.Question) error {
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	var s *session.Search
	f.Origin = a.Origin()
	if q != nil {
		s, err = session.ResumeSearch(ctx, t, f.resume, q, f.Options)
	} else {
		f.Published = f.Only != ""
		s, err = session.BeginSearch(ctx, t, session.SearchOptions{Options: f.Options, Search: f.Search, Kind: f.kind,
			KeepToolchains: f.keep})
	}
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
	ans, err := f.showRun(a, s.Folder.Dir, false)
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
