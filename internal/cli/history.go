package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/history"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
)

// compareHistory finds the commits (--each) or the releases of Go (--go) that changed something.
func compareHistory(ctx context.Context, a *App, f *compareFlags, args []string) error {
	if f.format == "github" {
		return hint.Usage("--format md", "--format github annotates a pull request, and says nothing of a history")
	}
	if f.Args = args; len(args) == 0 {
		f.Args = []string{"."}
	}
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	s, err := f.history(ctx, t)
	if err != nil {
		return err
	}
	if f.DryRun {
		t.Log.End()
		return a.Lines(s.Plan())
	}
	// The time tells searches apart, as it does run folders.
	x, err := store.Begin(f.Results, "history", time.Now(), func(dir string) (*history.Session, error) {
		return history.Begin(dir, s)
	})
	if err != nil {
		return err
	}
	return searchHistory(ctx, a, t, x, &f.commonFlags)
}

// resumeHistory goes on with a search.
func resumeHistory(ctx context.Context, a *App, f *commonFlags) error {
	x, err := history.Resume(f.resume)
	if err != nil {
		return err
	}
	if err := a.trustedHistory(f, x); err != nil {
		x.Close()
		return err
	}
	if tool := "memcost " + a.Version; tool != x.Tool {
		fmt.Fprintf(a.Stderr, "warning: begun by %s, and gone on with by %s\n", x.Tool, tool)
	}
	x.Asked.Budget, x.Asked.Timeout = cmp.Or(f.Budget, x.Asked.Budget), cmp.Or(f.Timeout, x.Asked.Timeout)
	if err := os.Chdir(x.Dir); err != nil {
		x.Close()
		return hint.New("put it back where it was", "the folder of the packages is gone: %w", err)
	}
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	return searchHistory(ctx, a, t, x, f)
}

func (a *App) trustedHistory(f *commonFlags, x *history.Session) error {
	would, err := ofHistoryIn(f.resume, x.SearchState)
	if err != nil {
		return err
	}
	return a.trusted(f, would...)
}

// history returns the search that the flags ask for.
func (f *compareFlags) history(ctx context.Context, t *session.Tools) (*history.SearchState, error) {
	if f.each != "" {
		return history.OfCommits(ctx, t, f.each, f.Options, t.Dir)
	}
	return history.OfReleases(ctx, t, f.releases, f.Options, t.Dir)
}

// searchHistory measures until nothing is left to find, and shows what was found.
func searchHistory(ctx context.Context, a *App, t *session.Tools, x *history.Session, f *commonFlags) error {
	defer x.Close()
	x.Measure, x.Now = history.Runs(t, x.Options()), time.Now
	x.Tell = func(now history.Progress) {
		say := fmt.Sprintf("step %d of about %d: %s", now.Step, now.Step+now.Left-1, now.Says)
		if now.Expect > 0 {
			say += fmt.Sprintf("; about %v left", now.Expect.Round(time.Second))
		}
		t.Log.Note(say)
	}
	release := t.Alone()
	failed := x.Run(ctx)
	release()
	t.Log.End()
	if err := f.showHistory(a, x.Folder(), x.SearchState); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// isHistory reports whether a folder is that of a search through history.
func isHistory(dir string) bool { return dir != "" && store.HoldsRecord(dir, history.File) }

// reportHistory shows what a search through history found.
func (f *commonFlags) reportHistory(a *App, dir string) error {
	s, err := history.Read(dir)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"", "text", "html", "md", "json"}, f.format) {
		return hint.Usage("--format text, html, md or json",
			"a search through history cannot be written with --format %s", f.format)
	}
	return f.showHistory(a, dir, s)
}

// showHistory prints what a search found, and writes its page.
func (f *commonFlags) showHistory(a *App, dir string, s *history.SearchState) error {
	r := s.Report()
	return f.showFolder(a, said{json: r, document: r.Document}, dir, "memcost report")
}
