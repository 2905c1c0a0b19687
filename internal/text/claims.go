package text

import (
	"slices"
	"strings"

	"memcost/internal/claim"
	"memcost/internal/result"
)

// claims prints one line per claim, with a column for each arm and each
// published data set.
func (p *printer) claims(a *result.Answer, s *result.Suite) {
	if len(s.Claims) == 0 {
		return
	}
	g := grid{title: "claims", header: []string{"claim", ""}, left: map[int]bool{1: true}, prose: 1}
	releases := a.ByRelease() != nil
	if releases {
		g.header = append(g.header, "by release")
		g.left[2] = true
	}
	for _, v := range s.Claims[0].Verdicts {
		name := result.ShortName(v.Data)
		switch {
		case v.Published:
			g.title = "claims (published figures are single ones, judged as they stand)"
		case releases:
			continue
		default:
			name = a.Here(v.Data)
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
		r := []entry{{text: c.ID}, {text: c.Says()}}
		if releases {
			all := a.Releases(&c)
			r = append(r, entry{text: result.History(all)})
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
			for _, d := range c.Details(v, arms > 1, p.Long) {
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

func verdictEntry(v result.Verdict) entry {
	return entry{text: v.Short(), color: statusColor[v.Status], all: v.Status == string(claim.Untested)}
}
