package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/document"
	"memcost/internal/exchange"
	"memcost/internal/measure/session"
	"memcost/internal/report/answer"
	"memcost/internal/report/blocks"
	"memcost/internal/report/compare"
	"memcost/internal/report/held"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
	"memcost/internal/study/language"
	"memcost/published"
)

// saidOf is what answers say; page is where their page is, which the text names; "": none.
func saidOf(answers []*result.Answer, format, page string) said {
	x := said{
		document: func() *document.Document { return markdownOf(answers) },
		page:     func() *document.Document { return pageOf(answers) },
		text:     func(w io.Writer, s terminal.Style) error { return writeText(w, answers, s, page) },
		own: func(w io.Writer, format string) error {
			return exchange.WriteRows(w, exchange.Format(format), result.Rows(answers))
		},
	}
	if format == "json" { // nothing else needs it
		x.json = inJSON(answers)
	}
	if len(answers) == 1 && compare.Is(answers[0]) {
		if r, err := compare.Of(answers[0]); err == nil { // else it has one side yet
			of := saidOfAlloc(r, answers[0])
			x.document, x.text = of.document, of.text
		}
	}
	if len(answers) == 1 && held.Is(answers[0]) {
		if r, err := held.Of(answers[0]); err == nil { // else it has no sample yet
			of := saidOfHeld(r)
			x.document, x.page, x.text = of.document, of.document, of.text
		}
	}
	if len(answers) == 1 && isComparison(answers[0]) {
		if r, err := compare.OfRun(answers[0]); err == nil {
			x.json = r // what memcost compare printed of it
		}
	}
	return x
}

// isComparison reports whether an answer is that of sides that memcost compare measured.
func isComparison(a *result.Answer) bool {
	return a.Question != nil && a.Question.Comparison != nil && a.Question.Comparison.Alloc == nil
}

// saidOfAlloc is what a comparison of allocators says.
func saidOfAlloc(r *compare.AllocReport, ans *result.Answer) said {
	return said{json: r, document: r.Document, page: func() *document.Document { return pageOf([]*result.Answer{ans}) },
		text: func(w io.Writer, s terminal.Style) error { return terminal.Write(w, r.Document(), s.Screen()) }}
}

// A fronted answer is one with what a reader meets first, of all the answers; only the first
// of several has it.
type fronted struct {
	*result.Answer
	Front *answer.Front        `json:"front,omitempty"`
	Alloc *compare.AllocReport `json:"alloc,omitempty"` // of a run of memcost alloc
	Held  *held.Report         `json:"held,omitempty"`  // of a run of memcost held
}

// inJSON are the answers, with the front of all at the first that has one.
func inJSON(answers []*result.Answer) []fronted {
	out := make([]fronted, len(answers))
	for i, a := range answers {
		out[i].Answer = a
		if r, err := compare.Of(a); err == nil {
			out[i].Alloc = r
		}
		if held.Is(a) {
			out[i].Held, _ = held.Of(a)
		}
	}
	if with := withFront(answers); len(with) > 0 {
		out[slices.Index(answers, with[0])].Front = reportOf(with, "").Front
	}
	return out
}

// writeText writes the front of the answers; everything where the style is long, and of what a
// search recorded. A comparison of sides is its table, below the front if it tests the claims
// of several studies.
func writeText(w io.Writer, answers []*result.Answer, s terminal.Style, page string) error {
	fronted := withFront(answers)
	if s.Long || len(fronted) == 0 {
		return terminal.Write(w, detailsOf(answers), s)
	}
	err := terminal.Write(w, reportOf(fronted, page).Document(), terminal.Style{Color: s.Color, Lines: blocks.Lines,
		Width: min(cmp.Or(s.Width, blocks.Columns), blocks.Columns)})
	for _, a := range answers {
		below, style := detailsOf([]*result.Answer{a}), s
		if slices.Contains(fronted, a) {
			if a.Question == nil || a.Question.Comparison == nil {
				continue
			}
			r, err := compare.OfRun(a)
			if err != nil {
				continue
			}
			below, style = r.Document(), s.AtMost(compare.Widest)
		}
		if err == nil {
			fmt.Fprintln(w)
			err = terminal.Write(w, below, style)
		}
	}
	return err
}

// markdownOf is the front of the answers, and below it what each study says.
func markdownOf(answers []*result.Answer) *document.Document {
	fronted := withFront(answers)
	if len(fronted) < len(answers) {
		return detailsOf(answers)
	}
	d, details := reportOf(fronted, "").Document(), blocks.Details(answers)
	// What the front's blocks need least is for the 45 lines of a terminal. Where a comment has no
	// room for all, what stands behind the front gives way first.
	const behind = 10
	document.Walk(d.Blocks, func(b document.Block) bool { b.Framed().Good = 0; return true })
	document.Walk(details, func(b document.Block) bool { b.Framed().Rank += behind; return true })
	d.Add(details...)
	return d
}

// detailsOf is what the answers say in full.
func detailsOf(answers []*result.Answer) *document.Document {
	return &document.Document{Blocks: blocks.Details(answers)}
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

// pageOf is the page of answers, the newest first, with their front: what a search
// recorded, and a comparison of sides, has none.
func pageOf(answers []*result.Answer) *document.Document {
	if len(answers) == 1 && held.Is(answers[0]) {
		if r, err := held.Of(answers[0]); err == nil {
			return r.Document()
		}
	}
	for _, a := range answers {
		sides := a.Question != nil && a.Question.Comparison != nil
		if a.Kind == result.Records || sides {
			return blocks.Page(answers, nil)
		}
	}
	r := reportOf(answers, "")
	return blocks.Page(r.Answers, r.Front)
}

// reportOf computes the front of answers. Here is the run that lacks the fewest cases, of these the newest whose
// machine was not busy, for a busy one decides little; what others measured is not here. Answers of a day that is not known
// keep their places.
func reportOf(answers []*result.Answer, page string) *blocks.Report {
	newest := slices.Clone(answers)
	slices.SortStableFunc(newest, func(a, b *result.Answer) int {
		return cmp.Or(last(a.Kind == result.File, b.Kind == result.File), cmp.Compare(a.Missing, b.Missing), last(a.Busy != "", b.Busy != ""),
			b.Created.Compare(a.Created))
	})
	r := &blocks.Report{Front: answer.Of(newest, answer.Options{Shipped: session.Studies()}), Answers: newest, Page: page}
	if len(answers) > 1 {
		r.Compared = compare.Answers(answers)
	}
	return r
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

// pageName is the page of a run, in its folder.
const pageName = "report.html"

// formatNames are those of results, for other tools; report's own are text, html, md and json.
func formatNames() []string {
	names := []string{"text", "html", "md", "json"}
	for _, f := range exchange.Formats() {
		names = append(names, string(f))
	}
	return names
}

// reportOptions are the options of every answer: the shipped studies, and published figures: all, none, or
// those of a data set or its machine, which published checks.
func reportOptions(which string, evidence bool) result.Options {
	sets, _ := choosePublished(which)
	return result.Options{Published: published.Of(sets), Studies: shippedStudy, Evidence: evidence}
}

func choosePublished(which string) (out []published.DataSet, err error) {
	sets, err := published.Read(published.FS)
	if err != nil || which == "none" {
		return nil, err
	}
	var names []string
	for _, s := range sets {
		short, _, _ := strings.Cut(s.Machine, " (")
		if which == "all" || strings.EqualFold(which, s.Name) || strings.EqualFold(which, s.Machine) ||
			strings.EqualFold(which, short) {
			out = append(out, s)
		}
		names = append(names, s.Name)
	}
	if len(out) == 0 {
		return nil, hint.New(hint.Meant(which, names, "there are: all, none, "+strings.Join(names, ", ")),
			"there is no such data set")
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

// showRun reads what a run folder says, writes the folder's page, and prints the answer, which names the page.
func (f *commonFlags) showRun(a *App, dir string, evidence bool) (*result.Answer, error) {
	ans, err := result.Read(dir, reportOptions("all", evidence))
	if err != nil {
		return nil, err
	}
	return ans, f.showAnswers(a, []*result.Answer{ans}, filepath.Join(dir, pageName))
}

// showAnswers writes the page of answers, and then prints them, so that the text names a page that there is.
func (f *commonFlags) showAnswers(a *App, answers []*result.Answer, path string) error {
	paged := a.page(path, pageOf(answers), "memcost report RUN")
	if !paged {
		path = ""
	}
	if err := f.show(a, saidOf(answers, f.format, path)); err != nil {
		return err
	}
	if paged && (f.format == "json" || f.long || len(withFront(answers)) == 0) {
		fmt.Fprintf(a.Stderr, "report: %s\n", path)
	}
	switch {
	case f.open && !paged: // why not was said when it was written
		return errors.New("there is no page to open")
	case f.open:
		a.Open(path)
	}
	return nil
}
