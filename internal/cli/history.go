package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/history"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/show/html"
)

// compareHistory finds the commits (--each) or the releases of Go (--go) that changed something.
func compareHistory(ctx context.Context, a *App, f *compareFlags, o session.Options, args []string) error {
	if f.format == "github" {
		return hint.Usage("--format md", "--format github annotates a pull request, and says nothing of a history")
	}
	if o.Args = args; len(args) == 0 {
		o.Args = []string{"."}
	}
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	s, err := f.history(ctx, t, o)
	if err != nil {
		return err
	}
	if f.dryRun {
		t.Log.End()
		fmt.Fprintln(a.Stdout, strings.Join(s.Plan(), "\n"))
		return nil
	}
	// The time tells searches apart, as it does run folders.
	x, err := store.Begin(f.results, "history", time.Now(), func(dir string) (*history.Session, error) {
		return history.Begin(dir, s)
	})
	if err != nil {
		return err
	}
	return searchHistory(ctx, a, t, x, f)
}

// resumeHistory goes on with a search.
func resumeHistory(ctx context.Context, a *App, f *compareFlags) error {
	x, err := history.Resume(f.resume)
	if err != nil {
		return err
	}
	x.Asked.Budget, x.Asked.Timeout = cmp.Or(f.budget, x.Asked.Budget), cmp.Or(f.timeout, x.Asked.Timeout)
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

// history returns the search that the flags ask for.
func (f *compareFlags) history(ctx context.Context, t *session.Tools, o session.Options) (*history.SearchState, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding the current folder: %w", err)
	}
	if f.each != "" {
		return history.OfCommits(ctx, t, f.each, o, dir)
	}
	return history.OfReleases(ctx, t, f.releases, o, dir)
}

// searchHistory measures until nothing is left to find, and shows what was found.
func searchHistory(ctx context.Context, a *App, t *session.Tools, x *history.Session,
	f *compareFlags) error {
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
	if err := showHistory(a, x.Folder(), x.SearchState, &f.outputFlags); err != nil {
		return errors.Join(failed, err)
	}
	return failed
}

// IsHistory reports whether a folder is that of a search through history.
func IsHistory(dir string) bool { return dir != "" && store.HoldsRecord(dir, history.File) }

// ReportHistory shows what a search through history found.
func ReportHistory(a *App, dir string, o *outputFlags) error {
	s, err := history.Read(dir)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"", "text", "html", "md", "json"}, o.format) {
		return hint.Usage("--format text, html, md or json",
			"a search through history cannot be written with --format %s", o.format)
	}
	return showHistory(a, dir, s, o)
}

// showHistory prints what a search found, and writes its page.
func showHistory(a *App, dir string, s *history.SearchState, o *outputFlags) error {
	r := s.Report()
	if err := o.show(a, said{json: r, document: r.Document}); err != nil {
		return err
	}
	path := filepath.Join(dir, PageName)
	if err := WriteWhole(path, func(w io.Writer) error { return html.Write(w, r.Document()) }); err != nil {
		fmt.Fprintf(a.Stderr, "warning: %v\n", err)
		return nil
	}
	fmt.Fprintf(a.Stderr, "report: %s\n", path)
	if o.open {
		return OpenPage(path)
	}
	return nil
}
