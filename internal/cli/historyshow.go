package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/measure/history"
	"memcost/internal/measure/store"
	"memcost/internal/show/page"
	"memcost/internal/show/text"
)

// IsHistory reports whether a folder is that of a search through history.
func IsHistory(dir string) bool { return dir != "" && store.HoldsRecord(dir, history.File) }

// ReportHistory shows what a search through history found.
func ReportHistory(a *App, dir, format, out string, long, open bool) error {
	s, err := history.Read(dir)
	if err != nil {
		return err
	}
	if format != "" && !slices.Contains([]string{"text", "html", "md", "json"}, format) {
		return hint.Usage("--format text, html, md or json",
			"a search through history cannot be written with --format %s", format)
	}
	return showHistory(a, dir, s, format, out, long, open)
}

// showHistory prints what a search found, and writes its page.
func showHistory(a *App, dir string, s *history.SearchState, format, out string, long, open bool) error {
	r := s.Report()
	title := "memcost: " + units.Plural(len(r.Points), strings.TrimSuffix(r.Kind, "s"))
	write := func(w io.Writer) error { return page.WriteHistory(w, title, r) }
	if err := a.Output(out, func(w *Output) error {
		switch format {
		case "json":
			return WriteJSON(w, r)
		case "html":
			return write(w)
		case "md":
			return text.HistoryMarkdown(w, r)
		}
		return text.History(w, r, w.Style(a, long))
	}); err != nil {
		return err
	}
	path := filepath.Join(dir, PageName)
	if err := WriteWhole(path, write); err != nil {
		fmt.Fprintf(a.Stderr, "warning: %v\n", err)
		return nil
	}
	fmt.Fprintf(a.Stderr, "report: %s\n", path)
	if open {
		return OpenPage(path)
	}
	return nil
}
