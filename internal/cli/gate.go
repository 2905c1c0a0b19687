package cli

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/malloc/latency"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// errClosed ends a --gate comparison that found a regression.
var errClosed = errors.New("the gate is closed (--gate)")

// errUnmeasured ends a --gate comparison in which too little was measured to know of a regression.
var errUnmeasured = errors.New("the gate cannot be told to be open (--gate)")

// Closed returns what closes the gate, nil where nothing does. What is undecided is counted
// where it closes none, and so is what stands on one side alone.
func Closed(a *App, r *compare.Report, g *compare.Gate) error {
	if g == nil {
		return nil
	}
	found := g.Check(r)
	if len(found) == 0 {
		undecided, limited := 0, 0
		for side := 1; side < len(r.Sides); side++ {
			undecided, limited = undecided+r.Count(side, compare.Time).Undecided, limited+r.Limited(side)
		}
		if undecided > 0 && !g.Undecided() {
			more := "more samples may decide more"
			switch {
			case limited == undecided:
				more = limitedByLinks
			case r.Interleaved:
				more = "a longer --budget decides more"
			}
			fmt.Fprintf(a.Stderr, "note: --gate: undecided are the times of %s, which closes no gate; with "+
				"--gate=undecided it does, and %s\n", units.Plural(undecided, "comparison"), more)
		}
		if n := len(r.OneSided); n > 0 {
			fmt.Fprintf(a.Stderr, "warning: --gate: of %s on one side alone it says nothing: %s\n", standing(n),
				strings.Join(r.OneSidedSays(), "; "))
		}
		return nil
	}
	var says []string
	for _, f := range found {
		says = append(says, f.Says)
	}
	if found[0].Unmeasured {
		return fmt.Errorf("%w: %s", errUnmeasured, found[0].Says)
	}
	return closes(says)
}

func standing(n int) string {
	if n == 1 {
		return "a benchmark that stands"
	}
	return fmt.Sprintf("%d benchmarks that stand", n)
}

// limitedByLinks says of what is undecided that more time does not help.
const limitedByLinks = "they are limited by links: without --layouts further ones are drawn"

// closes is the error of what closes a gate.
func closes(says []string) error {
	const most = 10
	if n := len(says) - most; n > 0 {
		says = append(says[:most], fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("%w: %s", errClosed, strings.Join(says, "\n  "))
}

// recordedReport compares the configurations of a run, or several runs and files with the
// first of them, which were not measured in turns: a weaker statement.
func recordedReport(answers []*result.Answer) (*compare.Report, error) {
	if len(answers) > 1 {
		return compare.OfFiles(answers, claim.Margin, plan.Alpha), nil
	}
	r, err := compare.OfRun(answers[0])
	if err != nil {
		return nil, hint.Usage("name two runs or files: memcost report OLD NEW --gate", "--gate: %w", err)
	}
	return r, nil
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
	for h := range judgedHere(ans) {
		if h.Status == "fails" {
			return errFinding
		}
	}
	if len(leftOut) > 0 {
		return fmt.Errorf("%w: left out: %s", errGate, leftOut[0])
	}
	for _, s := range ans.Studies {
		for _, x := range s.Problems() {
			if x.Kind != result.Flagged && x.Kind != result.Skipped {
				return fmt.Errorf("%w: %s %s", errGate, x.Kind, x)
			}
		}
	}
	// What the user left out by -b, and what a run does not have by its nature (another machine, the cases of the full
	// profile), closes no gate.
	for h := range judgedHere(ans) {
		if h.Untestable(ans.Options.Bench != "") {
			return fmt.Errorf("%w: %s: claim %s is not tested on %s: %s", errGate, h.study, h.claim, h.Data, h.Why)
		}
	}
	return nil
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

// A judged is the verdict on a claim of a study.
type judged struct {
	study, claim string
	result.Verdict
}

// judgedHere are the verdicts on what was measured here.
func judgedHere(ans *result.Answer) iter.Seq[judged] {
	return func(yield func(judged) bool) {
		for _, s := range ans.Studies {
			for _, c := range s.Claims {
				for _, v := range c.Verdicts {
					if !v.Published && !yield(judged{s.Name, c.ID, v}) {
						return
					}
				}
			}
		}
	}
}

// undecided counts the claims that are undecided here, and those of them that are limited by links.
func undecided(ans *result.Answer) (all, limited int) {
	claims := map[[2]string]bool{} // whether it is limited
	for h := range judgedHere(ans) {
		if h.Undecided() {
			at := [2]string{h.study, h.claim}
			claims[at] = claims[at] || slices.ContainsFunc(h.Elements, func(e result.Element) bool {
				return e.Status == h.Status && e.Rests != nil && e.Rests.LimitedBy != ""
			})
		}
	}
	for _, is := range claims {
		if is {
			limited++
		}
	}
	return len(claims), limited
}
