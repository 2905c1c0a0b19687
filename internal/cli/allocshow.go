package cli

import (
	"fmt"

	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/alloctext"
)

// AllocFormats are what memcost alloc can print.
func AllocFormats() []string { return []string{"text", "html", "md", "json"} }

// An AllocView is how the answer of memcost alloc is shown.
type AllocView struct {
	Format, Out string
	Long, Open  bool
}

// ShowAlloc prints what a run of memcost alloc says, and writes its page.
func (a *App) ShowAlloc(dir string, v AllocView) error {
	o, err := ReportOptions("none")
	if err != nil {
		return err
	}
	o.Evidence = true
	ans, err := ReadRun(a, dir, o)
	if err != nil {
		return err
	}
	r, err := compare.Of(ans)
	if err != nil {
		return fmt.Errorf("reading the run in %s: %w", dir, err)
	}
	err = a.Output(v.Out, func(w *Output) error {
		switch v.Format {
		case "json":
			return WriteJSON(w, r)
		case "html":
			return writeHTML(w, []*result.Answer{ans})
		case "md":
			return alloctext.Markdown(w, r)
		}
		return alloctext.Write(w, r, w.Style(a, v.Long))
	})
	if err != nil {
		return err
	}
	a.PageOf(dir, ans, v.Open)
	return nil
}
