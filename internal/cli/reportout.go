package cli

import (
	"io"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/exchange"
	"memcost/internal/measure/session"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
	"memcost/published"
)

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
		advice := "there are: all, none, " + strings.Join(names, ", ")
		if near := hint.Nearest(which, names); near != "" {
			advice = "did you mean " + near + "? " + advice
		}
		return nil, hint.Usage(advice, "--published %q: there is no such data set", which)
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
	for _, s := range ans.Suites {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				if !v.Published && v.Status == "fails" {
					return true
				}
			}
		}
	}
	return false
}
