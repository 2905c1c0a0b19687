package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"memcost/internal/annotate"
	"memcost/internal/claim"
	sides "memcost/internal/compare"
	"memcost/internal/gate"
	"memcost/internal/hint"
	"memcost/internal/page"
	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/text"
	"memcost/internal/units"
)

// errClosed ends a --gate comparison that found a regression.
var errClosed = errors.New("the gate is closed (--gate)")

// comparisonFormats are what memcost compare can print.
var comparisonFormats = []string{"text", "html", "md", "json", "github"}

// checkShow refuses a format or a gate that there is not, before anything is measured.
func (f *compareFlags) checkShow() (err error) {
	if f.format, err = chooseFormat(f.format, f.out, f.json, comparisonFormats); err != nil {
		return err
	}
	_, err = gateOf(f.gate)
	return err
}

// gateOf returns what --gate asks for, nil where it was not given.
func gateOf(flag string) (*gate.Gate, error) {
	if flag == "" {
		return nil, nil
	}
	return gate.Parse(flag)
}

// showComparison shows what the run of a comparison in a folder says, writes its page, and
// returns what --gate stops for.
func (a *app) showComparison(dir string, f *compareFlags) error {
	o, err := reportOptions("all")
	if err != nil {
		return err
	}
	o.Evidence = true
	ans, err := readRun(a, dir, o)
	if err != nil {
		return err
	}
	r, err := sides.OfRun(ans)
	if err != nil {
		return fmt.Errorf("reading the comparison in %s: %w", dir, err)
	}
	g, err := gateOf(f.gate)
	if err != nil {
		return err
	}
	if err := a.showReport(r, []*result.Answer{ans}, f, g); err != nil {
		return err
	}
	a.pageOf(dir, ans, f.open)
	return a.closed(r, g)
}

// showReport prints a comparison in the format that was asked for.
func (a *app) showReport(r *sides.Report, answers []*result.Answer, f *compareFlags, g *gate.Gate) error {
	return a.output(f.out, func(w *output) error {
		return writeReport(w, r, answers, f.format, w.style(a, f.long), g)
	})
}

func writeReport(w io.Writer, r *sides.Report, answers []*result.Answer, format string, style text.Style,
	g *gate.Gate) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "html":
		return page.Write(w, answers)
	case "md":
		return text.SidesMarkdown(w, r)
	case "github":
		var found []gate.Finding
		if g != nil {
			found = g.Check(r)
		}
		dir := ""
		for _, ans := range answers {
			if ans.Question != nil {
				dir = ans.Question.Dir
			}
		}
		return annotate.Write(w, r, found, annotate.In(dir))
	}
	return text.Sides(w, r, style)
}

// closed returns what closes the gate, nil where nothing does. What is undecided is counted
// where it closes none.
func (a *app) closed(r *sides.Report, g *gate.Gate) error {
	if g == nil {
		return nil
	}
	found := g.Check(r)
	if len(found) == 0 {
		undecided := 0
		for side := 1; side < len(r.Sides); side++ {
			undecided += r.Count(side, sides.Time).Undecided
		}
		if undecided > 0 && !g.Undecided() {
			fmt.Fprintf(a.stderr, "note: --gate: undecided are the times of %s, which closes no gate; with "+
				"--gate=undecided it does, and a longer --budget decides more\n", units.Plural(undecided, "comparison"))
		}
		return nil
	}
	const most = 10
	var says []string
	for i, f := range found {
		if i == most {
			says = append(says, fmt.Sprintf("and %d more", len(found)-most))
			break
		}
		says = append(says, f.Says)
	}
	return fmt.Errorf("%w: %s", errClosed, strings.Join(says, "\n  "))
}

// recordedReport compares the configurations of a run, or several runs and files with the
// first of them, which were not measured in turns: a weaker statement.
func recordedReport(answers []*result.Answer) (*sides.Report, error) {
	if len(answers) > 1 {
		return sides.OfFiles(answers, claim.Margin, plan.Alpha), nil
	}
	r, err := sides.OfRun(answers[0])
	if err != nil {
		return nil, hint.Usage("name two runs or files: memcost report OLD NEW --gate", "--gate: %w", err)
	}
	return r, nil
}
