package comparing

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/bisect"
	"memcost/internal/front"
	"memcost/internal/hint"
	"memcost/internal/page"
	"memcost/internal/store"
	"memcost/internal/text"
	"memcost/internal/units"
)

// IsHistory reports whether a folder is that of a search through history.
func IsHistory(dir string) bool { return dir != "" && store.HoldsRecord(dir, bisect.File) }

// ReportHistory shows what a search through history found.
func ReportHistory(a *front.App, dir, format, out string, long, open bool) error {
	s, err := bisect.Read(dir)
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
func showHistory(a *front.App, dir string, s *bisect.State, format, out string, long, open bool) error {
	r := s.Report()
	title := "memcost: " + units.Plural(len(r.Points), strings.TrimSuffix(r.Kind, "s"))
	write := func(w io.Writer) error { return page.WriteHistory(w, title, r) }
	if err := a.Output(out, func(w *front.Output) error {
		switch format {
		case "json":
			return front.WriteJSON(w, r)
		case "html":
			return write(w)
		case "md":
			return text.HistoryMarkdown(w, r)
		}
		return text.History(w, r, w.Style(a, long))
	}); err != nil {
		return err
	}
	path := filepath.Join(dir, front.PageName)
	if err := front.WriteWhole(path, write); err != nil {
		fmt.Fprintf(a.Stderr, "warning: %v\n", err)
		return nil
	}
	fmt.Fprintf(a.Stderr, "report: %s\n", path)
	if open {
		return front.OpenPage(path)
	}
	return nil
}
