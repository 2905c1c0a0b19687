package text

import (
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// writeClaims prints one line per claim, with a column for each configuration and each
// published data set.
func writeClaims(p *printer, a *result.Answer, s *result.Suite) {
	if len(s.Claims) == 0 {
		return
	}
	g := Table{Title: "claims", Header: []string{"claim", ""}, Left: map[int]bool{1: true}, Prose: 1}
	releases, published := a.ByRelease() != nil, false
	if releases {
		g.Header = append(g.Header, "by release")
		g.Left[2] = true
	}
	for _, v := range s.Claims[0].Verdicts {
		name := figures.ShortName(v.Data)
		switch {
		case v.Published:
			published = true
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
			r = append(r, Cell{Text: figures.History(all)})
			if len(all) == 1 {
				r[2].color = spanColor(all[0].Text)
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
	if published {
		p.f("\n")
		p.line(gap, 0, "", "Published figures have no interval: a claim is tested on the figure as it was printed.")
	}
	if len(details) > 0 {
		p.f("\n")
	}
	for _, d := range details {
		p.line(gap, 0, "", d)
	}
}

// spanColor returns the colour of the status that a text begins with.
func spanColor(text string) pretty.Color {
	for status, color := range statusColor {
		if strings.HasPrefix(text, status) {
			return color
		}
	}
	return 0
}

func verdictEntry(v result.Verdict) Cell {
	c := Cell{Text: v.Short(), color: statusColor[v.Status], all: v.Status == string(claim.Untested)}
	if v.Says != v.Status && v.Decided() != "" {
		c.Text, c.below = v.Word(), v.Decided()
	}
	return c
}
