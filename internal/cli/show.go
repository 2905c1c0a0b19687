package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/malloc/latency"
	"memcost/internal/report/result"
)

// show is how the answer of a command that measured is shown.
type show struct{ json, long, open bool }

func (s *show) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&s.json, "json", false, "print the answer as JSON")
	fl.BoolVar(&s.long, "long", false, "print all studies in full, with every case")
	fl.BoolVar(&s.open, "open", false, "open the report in a browser at the end")
}

// answer reads what a run folder says, writes the folder's page, and prints the answer.
func answerOf(a *App, dir string, evidence bool, how show) (*result.Answer, error) {
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

var (
	// errFinding ends a --gate run that found something; all has been said.
	errFinding = errors.New("a claim failed (--gate)")
	// errLimit ends a --gate search whose settings are not fit for real time.
	errLimit = errors.New("the real-time limit is not kept")
	// errGate ends a --gate run in which something could not be judged.
	errGate = errors.New("not everything could be tested (--gate)")
)

// finding returns what --gate stops for: a claim that fails here, a setting that is not fit;
// and whatever keeps a claim from being tested, for a gate that a broken benchmark or a
// mistyped selector opens is none. A claim that is undecided closes no gate.
func finding(ans *result.Answer, leftOut []string) error {
	if rt := ans.RealTime; rt != nil {
		return unfit(rt, leftOut)
	}
	if AnyFails(ans) {
		return errFinding
	}
	if len(leftOut) > 0 {
		return fmt.Errorf("%w: left out: %s", errGate, leftOut[0])
	}
	for _, s := range ans.Suites {
		for _, x := range s.Problems() {
			if x.Kind != result.Flagged && x.Kind != result.Skipped {
				return fmt.Errorf("%w: %s %s", errGate, x.Kind, x)
			}
		}
	}
	return untested(ans)
}

// unfit returns what --gate stops for where settings are judged for real time: those that were
// asked for and break the limit, or could not be tried. What is undecided closes no gate, nor do
// the claims of the study.
func unfit(rt *latency.RealTime, leftOut []string) error {
	switch {
	case len(rt.Broken()) > 0:
		return fmt.Errorf("%w (%v): by %s (--gate)", errLimit, rt.Limit, strings.Join(rt.Broken(), ", "))
	case len(leftOut) > 0:
		return fmt.Errorf("%w: left out: %s", errGate, leftOut[0])
	}
	for _, s := range rt.Settings {
		for _, in := range s.In {
			if in.Operations == 0 {
				return fmt.Errorf("%w: %s %s: nothing was measured in the situation %s", errGate, s.Allocator,
					s.Setting, in.Situation)
			}
		}
	}
	return nil
}

// untested returns the first claim that a measured configuration could not test. What the
// user left out by -b, and what a run does not have by its nature (another machine, the cases
// of the full profile), closes no gate.
func untested(ans *result.Answer) error {
	for _, s := range ans.Suites {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				if !v.Published && v.Untestable(ans.Options.Bench != "") {
					return fmt.Errorf("%w: %s: claim %s is not tested on %s: %s", errGate, s.Name, c.ID, v.Data, v.Why)
				}
			}
		}
	}
	return nil
}

// undecided counts the claims that are undecided here.
func undecided(ans *result.Answer) (n int) {
	for _, s := range ans.Suites {
		for _, c := range s.Claims {
			if slices.ContainsFunc(c.Verdicts, func(v result.Verdict) bool {
				return !v.Published && v.Undecided()
			}) {
				n++
			}
		}
	}
	return n
}
