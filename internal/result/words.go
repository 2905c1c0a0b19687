package result

import (
	"fmt"
	"regexp"
	"strings"

	"memcost/internal/claim"
)

// Sentence is the headline in words: the figures of here first, then the verdict, and the
// claim as a quotation, for its words may have other figures in them.
func (h Headline) Sentence() string {
	at := func(x Place) string {
		s := x.Figure.quantity()
		if h.Places == 1 {
			return strings.TrimSpace(s + " " + x.Figure.interval())
		}
		if where := place(x.Label); where != "" {
			s += " (" + where + ")"
		}
		return s
	}
	figures := at(h.Lowest)
	if h.Places > 1 {
		figures += " to " + at(h.Highest)
	}
	if h.Status == "" {
		return h.Text + ", " + figures
	}
	words := strings.TrimPrefix(publishedFigure.ReplaceAllString(h.Text, ""), ours)
	return fmt.Sprintf("%s — %s: “%s”", figures, h.Status, words)
}

// publishedFigure is what a claim's words say in brackets of the figures of others.
var publishedFigure = regexp.MustCompile(` \((as )?published[^()]*\)`)

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
