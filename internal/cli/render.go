package cli

import (
	"fmt"
	"io"
	"slices"

	"memcost/internal/exchange"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/text"
)

// A View is how answers are shown as text.
type View struct {
	text.Style
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
		return text.Write(w, answers, v.Style)
	}
	r, err := reportOf(fronted, v.Page)
	if err != nil {
		return err
	}
	if err := r.Terminal(w, v.Style); err != nil {
		return err
	}
	for _, a := range answers {
		if slices.Contains(fronted, a) && a.Question != nil && a.Question.Comparison != nil {
			if r, err := compare.OfRun(a); err == nil {
				fmt.Fprintln(w)
				if err := text.Sides(w, r, v.Style); err != nil {
					return err
				}
			}
		}
		if slices.Contains(fronted, a) {
			continue
		}
		fmt.Fprintln(w)
		if err := text.Write(w, []*result.Answer{a}, v.Style); err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdown writes the front of the answers, and below it what each study says.
func writeMarkdown(w io.Writer, answers []*result.Answer) error {
	fronted := withFront(answers)
	if len(fronted) < len(answers) {
		return text.Markdown(w, "", answers)
	}
	r, err := reportOf(fronted, "")
	if err != nil {
		return err
	}
	return r.Markdown(w)
}

// withFront returns the answers that have a front: of runs and files, and of comparisons of
// sides that test the claims of several studies.
func withFront(answers []*result.Answer) []*result.Answer {
	var out []*result.Answer
	for _, a := range answers {
		claimed := 0
		for _, s := range a.Suites {
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
