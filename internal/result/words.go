package result

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/claim"
)

// What the page says in the same words as the terminal.

// String is the figure with its interval: "12.3 ns ±2%", "2.35× [2.12, 2.79]".
func (f Figure) String() string { return cell(f) }

// Quantity is a figure in base units with three digits and a unit that suits it.
func Quantity(v float64, unit string) string { return quantity(v, unit) }

// Label is a value of a table's key: sizes are byte counts.
func Label(by, value string) string { return rowLabel(by, value) }

// Clean makes text of others fit to be shown: what is not printable, or would
// change the direction of what stands around it, is written out as in Go source.
func Clean(s string) string { return clean(s) }

// SortLabels puts values of a table's key in the order of its rows: numbers first,
// in numerical order.
func SortLabels(labels []string) { slices.SortStableFunc(labels, compareLabels) }

// NoFigure stands where there is nothing to show.
func NoFigure() Figure { return noFigure }

// Short is the verdict and what decided it: "holds 2.35× at 1 MiB".
func (v Verdict) Short() string { return verdictEntry(v).text }

// Details say where a claim does not hold, by what figures, and what is left out.
func (c Claim) Details(v Verdict, severalArms bool) []string { return detail(c, v, severalArms, true) }

// Says is the claim in its author's words.
func (c *Claim) Says() string { return c.says() }

// String is the comparison in words: "1.30× [1.29, 1.31] changed".
func (c Comparison) String() string { return comparison(c).text }

// A Problem is a case that does not count, or counts with a reservation.
type Problem struct{ Kind, Case, Arm, Why string }

// The kinds of problems.
const (
	Invalid = claim.InvalidNote
	Failed  = "failed"
	Flagged = "flagged"
)

// Problems lists what does not count and why.
func (s *Suite) Problems() []Problem {
	var all []Problem
	for _, c := range s.Cases {
		for _, why := range c.Invalid {
			all = append(all, Problem{Invalid, c.Name, c.Arm, why})
		}
		if c.Failed != "" {
			all = append(all, Problem{Failed, c.Name, c.Arm, c.Failed})
		}
		for _, why := range c.Flags {
			all = append(all, Problem{Flagged, c.Name, c.Arm, why})
		}
	}
	for _, f := range s.Failures {
		why := f.Reason
		if f.Log != "" {
			why += " (" + f.Log + ")"
		}
		if rest, ok := strings.CutPrefix(why, Invalid+": "); ok {
			all = append(all, Problem{Invalid, f.Name, f.Arm, rest})
			continue
		}
		all = append(all, Problem{Failed, f.Name, f.Arm, why})
	}
	return all
}

func (x Problem) String() string { return fmt.Sprintf("%s on %s: %s", x.Case, x.Arm, x.Why) }
