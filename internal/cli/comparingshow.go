package cli

import (
	"fmt"
	"io"

	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/page"
	"memcost/internal/show/text"
)

// comparisonFormats are what memcost compare can print.
var comparisonFormats = []string{"text", "html", "md", "json", "github"}

// checkShow refuses a format or a gate that there is not, before anything is measured.
func (f *compareFlags) checkShow() (err error) {
	if f.format, err = ChooseFormat(f.format, f.out, f.json, comparisonFormats); err != nil {
		return err
	}
	_, err = GateOf(f.gate)
	return err
}

// showComparison shows what the run of a comparison in a folder says, writes its page, and
// returns what --gate stops for.
func showComparison(a *App, dir string, f *compareFlags) error {
	o, err := ReportOptions("all")
	if err != nil {
		return err
	}
	o.Evidence = true
	ans, err := ReadRun(a, dir, o)
	if err != nil {
		return err
	}
	r, err := compare.OfRun(ans)
	if err != nil {
		return fmt.Errorf("reading the comparison in %s: %w", dir, err)
	}
	g, err := GateOf(f.gate)
	if err != nil {
		return err
	}
	if err := showReport(a, r, []*result.Answer{ans}, f, g); err != nil {
		return err
	}
	a.PageOf(dir, ans, f.open)
	return Closed(a, r, g)
}

// showReport prints a comparison in the format that was asked for.
func showReport(a *App, r *compare.Report, answers []*result.Answer, f *compareFlags, g *compare.Gate) error {
	return a.Output(f.out, func(w *Output) error {
		return writeReport(w, r, answers, f.format, w.Style(a, f.long), g)
	})
}

func writeReport(w io.Writer, r *compare.Report, answers []*result.Answer, format string, style text.Style,
	g *compare.Gate) error {
	switch format {
	case "json":
		return WriteJSON(w, r)
	case "html":
		return page.Write(w, answers, nil)
	case "md":
		return text.SidesMarkdown(w, "", r)
	case "github":
		var found []compare.Finding
		if g != nil {
			found = g.Check(r)
		}
		dir := ""
		for _, ans := range answers {
			if ans.Question != nil {
				dir = ans.Question.Dir
			}
		}
		return compare.Write(w, r, found, compare.In(dir))
	}
	return text.Sides(w, r, style)
}
