package text

import (
	"slices"
	"strings"

	"memcost/internal/claim"
	"memcost/internal/result"
)

// writeClaims prints one line per claim, with a column for each arm and each
// published data set.
func writeClaims(p *printer, a *result.Answer, s *result.Suite) {
	if len(s.Claims) == 0 {
		return
	}
	g := Table{Title: "claims", Header: []string{"claim", ""}, Left: map[int]bool{1: true}, Prose: 1}
	releases := a.ByRelease() != nil
	if releases {
		g.Header = append(g.Header, "by release")
		g.Left[2] = true
	}
	for _, v := range s.Claims[0].Verdicts {
		name := result.ShortName(v.Data)
		switch {
		case v.Published:
			g.Title = "claims (published figures are single ones, judged as they stand)"
		case releases:
			continue
		default:
			name = a.Here(v.Data)
		}
		g.Left[len(g.Header)] = true
		g.Header = append(g.Header, name)
	}
	arms := 0
	for _, v := range s.Claims[0].Verdicts {
		if !v.Published {
			arms++
		}
	}
	var details []string
	for _, c := range s.Claims {
		r := []Cell{{Text: c.ID}, {Text: c.Says()}}
		if releases {
			all := a.Releases(&c)
			r = append(r, Cell{Text: result.History(all)})
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
		g.Rows = append(g.Rows, r)
	}
	p.table(g)
	if len(details) > 0 {
		p.f("\n")
	}
	for _, d := range details {
		p.line(gap, 0, "", d)
	}
}

func verdictEntry(v result.Verdict) Cell {
	return Cell{Text: v.Short(), color: statusColor[v.Status], all: v.Status == string(claim.Untested)}
}
