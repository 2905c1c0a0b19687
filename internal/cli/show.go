package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/document"
	"memcost/internal/exchange"
	"memcost/internal/measure/session"
	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/front"
	"memcost/internal/report/page"
	"memcost/internal/report/result"
	"memcost/internal/show/html"
	"memcost/internal/show/markdown"
	"memcost/internal/show/terminal"
	"memcost/internal/study/language"
	"memcost/published"
)

// A View is how answers are shown as text.
type View struct {
	terminal.Style
	Page string // the page that shows the same; "": none
}

// named reports whether the answers in a format name their page.
func (v View) named(answers []*result.Answer, format string) bool {
	return format == "text" && !v.Long && len(withFront(answers)) > 0
}

// Render writes answers in a format.
func Render(w io.Writer, answers []*result.Answer, format string, v View) error {
	if done, err := writeAlloc(w, answers, format, v.Style); done {
		return err
	}
	switch format {
	case "json":
		return writeJSON(w, answers)
	case "html":
		return writeHTML(w, answers)
	case "md":
		return writeMarkdown(w, answers)
	case "text":
		return writeText(w, answers, v)
	}
	return exchange.WriteRows(w, exchange.Format(format), result.Rows(answers))
}

// A fronted answer is one with what a reader meets first, of all the answers; only the first
// of several has it.
type fronted struct {
	*result.Answer
	Front *answer.Front        `json:"front,omitempty"`
	Alloc *compare.AllocReport `json:"alloc,omitempty"` // of a run of memcost alloc
}

// writeJSON writes the answers, and the front of all at the first that has one.
func writeJSON(w io.Writer, answers []*result.Answer) error {
	out := make([]fronted, len(answers))
	for i, a := range answers {
		out[i].Answer = a
		if r, err := compare.Of(a); err == nil {
			out[i].Alloc = r
		}
	}
	if with := withFront(answers); len(with) > 0 {
		r, err := reportOf(with, "")
		if err != nil {
			return err
		}
		out[slices.Index(answers, with[0])].Front = r.Front
	}
	return WriteJSON(w, out)
}

// writeText writes the front of the answers; everything where the style is long, and of what a
// search recorded. A comparison of sides is its table, below the front if it tests the claims
// of several studies.
func writeText(w io.Writer, answers []*result.Answer, v View) error {
	fronted := withFront(answers)
	if v.Long || len(fronted) == 0 {
		return terminal.Write(w, detailsOf(answers), v.Style)
	}
	r, err := reportOf(fronted, v.Page)
	if err != nil {
		return err
	}
	if err := terminal.Write(w, r.Document(), terminal.Style{Width: min(cmp.Or(v.Style.Width, front.Columns), front.Columns),
		Color: v.Style.Color, Lines: front.Lines}); err != nil {
		return err
	}
	for _, a := range answers {
		if slices.Contains(fronted, a) && a.Question != nil && a.Question.Comparison != nil {
			if r, err := compare.OfRun(a); err == nil {
				fmt.Fprintln(w)
				if err := terminal.Write(w, r.Document(), v.Style.AtMost(compare.Widest)); err != nil {
					return err
				}
			}
		}
		if slices.Contains(fronted, a) {
			continue
		}
		fmt.Fprintln(w)
		if err := terminal.Write(w, detailsOf([]*result.Answer{a}), v.Style); err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdown writes the front of the answers, and below it what each study says.
func writeMarkdown(w io.Writer, answers []*result.Answer) error {
	fronted := withFront(answers)
	if len(fronted) < len(answers) {
		return markdown.Write(w, detailsOf(answers), markdown.Options{})
	}
	r, err := reportOf(fronted, "")
	if err != nil {
		return err
	}
	d, details := r.Document(), compare.Details(answers)
	// What the front's blocks need least is for the 45 lines of a terminal. Where a comment has no
	// room for all, what stands behind the front gives way first.
	const behind = 10
	document.Walk(d.Blocks, func(b document.Block) bool { b.Framed().Good = 0; return true })
	document.Walk(details, func(b document.Block) bool { b.Framed().Rank += behind; return true })
	d.Add(details...)
	return markdown.Write(w, d, markdown.Options{})
}

// detailsOf is what the answers say in full.
func detailsOf(answers []*result.Answer) *document.Document {
	return &document.Document{Blocks: compare.Details(answers)}
}

// withFront returns the answers that have a front: of runs and files, and of comparisons of
// sides that test the claims of several studies.
func withFront(answers []*result.Answer) []*result.Answer {
	var out []*result.Answer
	for _, a := range answers {
		claimed := 0
		for _, s := range a.Studies {
			if len(s.Claims) > 0 {
				claimed++
			}
		}
		sides := a.Question != nil && a.Question.Comparison != nil
		if a.Kind != result.Records && a.RealTime == nil && (!sides || claimed > 1) {
			out = append(out, a)
		}
	}
	return out
}

// writeHTML writes the page of answers, the newest first, with their front: what a search
// recorded, and a comparison of sides, has none.
func writeHTML(w io.Writer, answers []*result.Answer) error {
	for _, a := range answers {
		sides := a.Question != nil && a.Question.Comparison != nil
		if a.Kind == result.Records || sides {
			return html.Write(w, page.Of(answers, nil))
		}
	}
	r, err := reportOf(answers, "")
	if err != nil {
		return err
	}
	return html.Write(w, page.Of(r.Answers, r.Front))
}

// reportOf computes the front of answers. Here is the newest run whose machine was not busy, for
// a busy one decides little; what others measured is not here. Answers of a day that is not known
// keep their places.
func reportOf(answers []*result.Answer, page string) (*front.Report, error) {
	newest := slices.Clone(answers)
	slices.SortStableFunc(newest, func(a, b *result.Answer) int {
		return cmp.Or(last(a.Kind == result.File, b.Kind == result.File), last(a.Busy != "", b.Busy != ""),
			b.Created.Compare(a.Created))
	})
	shipped, err := session.Studies()
	if err != nil {
		return nil, err
	}
	r := &front.Report{Front: answer.Of(newest, answer.Options{Shipped: shipped}), Answers: newest, Page: page}
	if len(answers) > 1 {
		r.Compared = compare.Answers(answers)
	}
	return r, nil
}

// last orders what is so behind what is not.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// PageName is the page of a run, in its folder.
const PageName = "report.html"

// Formats of results, for other tools; report's own are text, html, md and json.
func FormatNames() []string {
	names := []string{"text", "html", "md", "json"}
	for _, f := range exchange.Formats() {
		names = append(names, string(f))
	}
	return names
}

func WritePage(path string, answers []*result.Answer) error {
	return WriteWhole(path, func(w io.Writer) error { return writeHTML(w, answers) })
}

// ReportOptions are the options of every answer: the shipped studies, and the
// published figures that the flag asks for.
func ReportOptions(which string) (result.Options, error) {
	var o result.Options
	sets, err := published.Read(published.FS)
	if err != nil {
		return o, err
	}
	if sets, err = choosePublished(sets, which); err != nil {
		return o, err
	}
	o.Published, o.Studies = published.Of(sets), shippedStudy
	return o, nil
}

func choosePublished(sets []published.DataSet, which string) ([]published.DataSet, error) {
	switch which {
	case "all":
		return sets, nil
	case "none":
		return nil, nil
	}
	var out []published.DataSet
	var names []string
	for _, s := range sets {
		short, _, _ := strings.Cut(s.Machine, " (")
		if strings.EqualFold(which, s.Name) || strings.EqualFold(which, s.Machine) || strings.EqualFold(which, short) {
			out = append(out, s)
		}
		names = append(names, s.Name)
	}
	if len(out) == 0 {
		return nil, hint.Usage(hint.Meant(which, names, "there are: all, none, "+strings.Join(names, ", ")), "--published %q: there is no such data set", which)
	}
	return out, nil
}

// shippedStudy returns a shipped study by its name, or nil.
func shippedStudy(name string) *language.Study {
	st, err := session.Study(name)
	if err != nil {
		return nil // a name of someone else's
	}
	return st
}

// AnyFails reports whether a claim fails here.
func AnyFails(ans *result.Answer) bool {
	for _, s := range ans.Studies {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				if !v.Published && v.Status == claim.Fails {
					return true
				}
			}
		}
	}
	return false
}

// writeAlloc writes an answer that is that of memcost alloc as text or as Markdown; false where it
// is another's.
func writeAlloc(w io.Writer, answers []*result.Answer, format string, style terminal.Style) (bool, error) {
	if len(answers) != 1 || !compare.Is(answers[0]) || format != "text" && format != "md" {
		return false, nil
	}
	r, err := compare.Of(answers[0])
	switch {
	case err != nil:
		return false, nil // it has one side yet
	case format == "md":
		return true, markdown.Write(w, r.Document(), markdown.Options{})
	}
	return true, terminal.Write(w, r.Document(), style.Screen())
}

// answer reads what a run folder says, writes the folder's page, and prints the answer.
func answerOf(a *App, dir string, evidence bool, how outputFlags) (*result.Answer, error) {
	o, err := ReportOptions("all")
	if err != nil {
		return nil, err
	}
	o.Evidence = evidence
	ans, err := result.Read(dir, o)
	if err != nil {
		return nil, err
	}
	format := "text"
	if how.json {
		format = "json"
	}
	v := View{Style: a.Style(how.long), Page: filepath.Join(dir, PageName)}
	paged, err := a.Show([]*result.Answer{ans}, format, v)
	if paged && how.open {
		a.Open(v.Page)
	}
	return ans, err
}
