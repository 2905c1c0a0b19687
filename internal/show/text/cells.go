package text

import (
	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/method/claim"
	"memcost/internal/report/result"
)

// statusColor is the colour of each state of a claim.
var statusColor = map[string]pretty.Color{
	string(claim.Holds): pretty.FgGreen, string(claim.Fails): pretty.FgRed, string(claim.Undecided): pretty.FgYellow,
	string(claim.Untested): pretty.Faint,
}

// caseTime returns the cell of a case's time.
func caseTime(c result.Case) Cell {
	switch {
	case c.Failed != "":
		return Cell{Text: "failed", color: pretty.FgRed, all: true}
	case len(c.Invalid) > 0:
		return Cell{Text: claim.InvalidNote, color: pretty.FgRed, all: true}
	}
	return Cell{Text: c.Time.String()}
}

func comparison(c result.Comparison) Cell {
	e := Cell{Text: c.String()}
	switch {
	case claim.Difference(c.Difference) == claim.Changed && c.Value < 1:
		e.color, e.all = pretty.FgGreen, true
	case claim.Difference(c.Difference) == claim.Changed:
		e.color, e.all = pretty.FgRed, true
	case claim.Difference(c.Difference) == claim.Equivalent:
	default:
		e.color, e.all = pretty.Faint, true
	}
	return e
}
