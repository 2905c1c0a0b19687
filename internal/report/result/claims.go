package result

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
)

// Says returns the claim in its author's words, with the figures that someone printed for
// it.
func (c *Claim) Says() string {
	switch {
	case c.Prose == "":
		return c.Text
	case c.Published != "":
		return c.Prose + " (published: " + c.Published + ")"
	case c.Own:
		return c.Prose + " (claim of this study)"
	}
	return c.Prose
}

// Undecided reports whether neither holding nor failing is known.
func (v Verdict) Undecided() bool { return v.Status == claim.Undecided }

// Untestable reports whether a claim could not be tested for a reason that the user has to
// mend: not because it compares machines, or the profile leaves its cases out, or the user did
// (selected: only some of what there is was asked for).
func (v Verdict) Untestable(selected bool) bool {
	return v.Status == claim.Untested && !(selected && v.Why == claim.NotMeasured) &&
		!slices.Contains([]string{leftOutByBench, leftToFull, leftToResume, claim.NoMachine}, v.Why)
}

// Short returns the verdict and what decided it: "holds 2.35× at 1 MiB"; of a claim
// that was not tested, why: "not tested: INVALID".
func (v Verdict) Short() string {
	figure := v.Decided()
	switch {
	case figure == "":
		return v.Word()
	case v.Says == string(v.Status):
		return v.Word() + " " + figure
	}
	return v.Word() + "; " + figure
}

// Word returns the verdict with its scope: "holds at 13 of 36 causes (the rest: --full)"; of
// one that was not tested, why.
func (v Verdict) Word() string {
	return v.unmarked() + v.mark()
}

func (v Verdict) unmarked() string {
	if v.Status == claim.Untested {
		return string(v.Status) + ": " + v.Why
	}
	if scope, ok := strings.CutPrefix(v.Says, string(v.Status)); ok && v.Published {
		return v.Shown().Word() + scope
	}
	return v.Says
}

// Shown returns the verdict as a reader meets it: of a published figure, whether it is consistent
// with the claim.
func (v Verdict) Shown() document.Verdict {
	if v.Published {
		return v.Status.Verdict().OfPublished()
	}
	return v.Status.Verdict()
}

// Decided returns what decided the verdict: "heap/stack 2.35× at 1 MiB"; "" if nothing did. What
// a busy machine left undecided is shown with its interval, and with what it is true of.
func (v Verdict) Decided() string {
	d := v.Deciding
	if d == nil || v.Status == claim.Untested {
		return ""
	}
	figure, beside := claimFigure(d), ""
	if v.Busy {
		bare := *d
		bare.CPU = nil
		figure, beside = figureWithBounds(&bare), " "+figures.Beside
	}
	s := strings.TrimSpace(v.ratio + " " + figure)
	if at := figures.Place(d.Label); at != "" {
		s += " at " + at
	} else if other, ok := strings.CutPrefix(d.Label, "against "); ok {
		s += " against " + figures.ShortName(other)
	}
	s += beside
	if d.CPU != nil {
		s += " (" + d.CPU.beside() + ")"
	}
	return s
}

// claimFigure prints what an element was judged by.
func claimFigure(e *Element) string {
	if rest, ok := strings.CutPrefix(e.Label, claim.Exponent); ok {
		return "exponent " + units.Digits(float64(e.Figure.Value)) + between(rest)
	}
	if e.Figure.Exact() && units.InBytes(e.Figure.Unit) {
		return e.Figure.Exactly() // a limit is missed by one byte
	}
	switch s := e.Figure.Quantity(); e.Figure.Unit {
	case "allocs/op":
		return s + " allocs/op"
	case "B/op":
		return s + "/op"
	default:
		return s
	}
}

// between says over what an exponent was found, from the rest of its element's label: " from 1 KiB to
// 4 KiB", " on 2 CPUs", " over 3 kinds of machines".
func between(rest string) string {
	out := ""
	for _, part := range strings.Fields(rest) {
		key, value, ok := strings.Cut(part, "=")
		from, to, several := strings.Cut(value, "..")
		switch n, err := strconv.Atoi(value); {
		case ok && several:
			out += " from " + figures.Label(key, from) + " to " + figures.Label(key, to)
		case key == "cpu" && err == nil:
			out += " on " + units.Plural(n, "CPU")
		default:
			out += " " + part
		}
	}
	return out
}

// Details say, for a claim that does not simply hold here, where and by what
// figure; of published figures only what is left out. A note that all places
// share is said once.
func (c Claim) Details(v Verdict, sides, long bool) []string {
	untested := v.Status == claim.Untested
	if untested && (v.Published || slices.Contains([]string{claim.NotMeasured, leftOutByBench, leftToFull,
		leftToResume}, v.Why)) {
		return nil // the verdict says it all
	}
	name := c.ID
	if v.Published {
		name += ", " + figures.ShortName(v.Data)
	} else if sides && !untested {
		name += ", " + v.Data
	}
	var out []string
	if !v.Published && slices.Contains([]claim.Status{claim.Fails, claim.Undecided, claim.AtBound}, v.Status) {
		if at := places(v, long); at != "" {
			joint := ": "
			if strings.Contains(v.Says, ":") {
				joint = "; "
			}
			out = append(out, name+" "+v.Says+joint+strings.TrimSpace(v.ratio+" "+at))
		}
	}
	for _, n := range v.Notes {
		out = append(out, fmt.Sprintf("%s: %s", name, n))
	}
	if why := v.wide(); why != "" && !v.Published {
		out = append(out, fmt.Sprintf("%s: %s", name, why))
	}
	return out
}

// wide says of an undecided verdict what makes its widest interval wide, beside too few rounds; "" if
// nothing does, or another reason stands with the verdict.
func (v Verdict) wide() string {
	if !v.Undecided() || v.Says != string(v.Status) {
		return ""
	}
	var worst *Rests
	for _, e := range v.Elements {
		if e.Status == v.Status && e.Rests != nil && (worst == nil || e.Rests.AsOne > worst.AsOne) {
			worst = e.Rests
		}
	}
	return worst.String()
}

func places(v Verdict, long bool) string {
	const most = 4
	var at []string
	notes := map[string]bool{}
	note, known := "", false
	for _, e := range v.Elements {
		if e.Status != v.Status {
			continue
		}
		where := figures.Place(e.Label)
		if other, ok := strings.CutPrefix(e.Label, "against "); ok {
			where = "against " + figures.ShortName(other)
		}
		at = append(at, strings.TrimSpace(where+" "+figureWithBounds(&e)))
		note = e.Figure.Note
		notes[note] = true
		known = known || note != "" || e.Figure.Bounded()
	}
	if !known { // the first rounds: nothing but what the table says already
		return ""
	}
	s := strings.Join(at, ", ")
	if len(at) > most && !long {
		s = fmt.Sprintf("%s and %d more", strings.Join(at[:most], ", "), len(at)-most)
	}
	if note != "" && len(notes) == 1 {
		s += "; " + note
	}
	return s
}

func figureWithBounds(e *Element) string {
	if rest, ok := strings.CutPrefix(e.Label, claim.Exponent); ok {
		s := "exponent " + units.Digits(float64(e.Figure.Value))
		if !math.IsInf(float64(e.Figure.Hi), 0) && !math.IsNaN(float64(e.Figure.Hi)) {
			s += fmt.Sprintf(" [%s, %s]", units.Digits(float64(e.Figure.Lo)), units.Digits(float64(e.Figure.Hi)))
		}
		return s + between(rest)
	}
	s := claimFigure(e)
	if iv := e.Figure.IntervalText(); iv != "" {
		s += " " + iv
	}
	if e.CPU != nil {
		s += " (" + e.CPU.beside() + ")"
	}
	return s
}

// mark returns the Mark of a verdict that needs it.
func (v Verdict) mark() string {
	if v.Status.Decided() && v.Counted && !v.Selected {
		return Mark
	}
	return ""
}
