package result

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/claim"
)

// claims prints one line per claim, with a column for each arm and each
// published data set.
func (p *printer) claims(a *Answer, s *Suite) {
	if len(s.Claims) == 0 {
		return
	}
	g := grid{title: "claims", header: []string{"claim", ""}, left: map[int]bool{1: true}, prose: 1}
	releases := a.byRelease() != nil
	if releases {
		g.header = append(g.header, "by release")
		g.left[2] = true
	}
	for _, v := range s.Claims[0].Verdicts {
		name := shortName(v.Data)
		switch {
		case v.Published:
			g.title = "claims (published figures are single ones, judged as they stand)"
		case releases:
			continue
		default:
			name = a.here(v.Data)
		}
		g.left[len(g.header)] = true
		g.header = append(g.header, name)
	}
	arms := 0
	for _, v := range s.Claims[0].Verdicts {
		if !v.Published {
			arms++
		}
	}
	var details []string
	for _, c := range s.Claims {
		r := []entry{{text: c.ID}, {text: c.says()}}
		if releases {
			all := a.Releases(&c)
			r = append(r, entry{text: history(all)})
			if len(all) == 1 {
				r[2].color = statusColor[strings.Fields(all[0].Text)[0]]
			}
		}
		for _, v := range c.Verdicts {
			if !releases || v.Published {
				r = append(r, verdictEntry(v))
			}
			if releases && !p.Long && !v.Published {
				continue // its figures are too many to be read
			}
			for _, d := range detail(c, v, arms > 1, p.Long) {
				if !slices.Contains(details, d) {
					details = append(details, d)
				}
			}
		}
		g.rows = append(g.rows, r)
	}
	if p.Width <= 0 {
		g.cut(1, 60)
	}
	p.grid(g)
	if len(details) > 0 {
		p.f("\n")
	}
	for _, d := range details {
		p.line(gap, 0, "", d)
	}
}

func verdictEntry(v Verdict) entry {
	e := entry{text: v.Status, color: statusColor[v.Status]}
	if v.Status == string(claim.Untested) {
		if v.Published || slices.Equal(v.Notes, []string{claim.NoFigures}) {
			return entry{"no figures", e.color, true}
		}
		return entry{"not judged", e.color, true}
	}
	if d := v.Deciding; d != nil {
		e.text += " " + claimFigure(d)
		if at := place(d.Label); at != "" {
			e.text += " at " + at
		} else if other, ok := strings.CutPrefix(d.Label, "against "); ok {
			e.text += " against " + shortName(other)
		}
	}
	return e
}

// shortName is a machine's name without what stands in brackets.
func shortName(s string) string {
	s, _, _ = strings.Cut(s, " (")
	return s
}

// claimFigure prints what an element was judged by.
func claimFigure(e *Element) string {
	if strings.HasPrefix(e.Label, claim.Exponent) {
		return "exponent " + digits(float64(e.Figure.Value))
	}
	if exact(e.Figure) && inBytes(e.Figure.Unit) {
		return exactly(e.Figure) // a limit is missed by one byte
	}
	return quantity(float64(e.Figure.Value), e.Figure.Unit)
}

// place prints an element's label: "64 KiB" for "size=65536", "64 KiB cpu=2".
func place(label string) string {
	if first, cpu, ok := strings.Cut(label, " cpu="); ok && place(first) != "" {
		return place(first) + " cpu=" + cpu
	}
	key, value, ok := strings.Cut(label, "=")
	if !ok || strings.ContainsAny(key, "/ ") || strings.ContainsAny(value, "/ ") {
		return ""
	}
	if key == "size" {
		return rowLabel(key, value)
	}
	return label
}

// detail says, for a claim that does not simply hold here, where and by what
// figure; of published figures only what is left out. A note that all places
// share is said once.
func detail(c Claim, v Verdict, arms, long bool) []string {
	untested := v.Status == string(claim.Untested)
	if untested && (v.Published || slices.Equal(v.Notes, []string{claim.NoFigures})) {
		return nil
	}
	name := c.ID
	if v.Published {
		name += ", " + shortName(v.Data)
	} else if arms && !untested {
		name += ", " + v.Data
	}
	var out []string
	if !v.Published && (v.Status == string(claim.Fails) || v.Status == string(claim.Undecided)) {
		if at := places(v, long); at != "" {
			out = append(out, fmt.Sprintf("%s %s: %s", name, v.Status, at))
		}
	}
	for _, n := range v.Notes {
		out = append(out, fmt.Sprintf("%s: %s", name, n))
	}
	return out
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
		where := place(e.Label)
		if other, ok := strings.CutPrefix(e.Label, "against "); ok {
			where = "against " + shortName(other)
		}
		at = append(at, strings.TrimSpace(where+" "+figureWithBounds(&e)))
		note = e.Figure.Note
		notes[note] = true
		known = known || note != "" || bounded(e.Figure)
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
	s := claimFigure(e)
	if strings.HasPrefix(e.Label, claim.Exponent) {
		if !math.IsInf(float64(e.Figure.Hi), 0) && !math.IsNaN(float64(e.Figure.Hi)) {
			s += fmt.Sprintf(" [%s, %s]", digits(float64(e.Figure.Lo)), digits(float64(e.Figure.Hi)))
		}
		return s
	}
	if iv := interval(e.Figure); iv != "" {
		s += " " + iv
	}
	return s
}
