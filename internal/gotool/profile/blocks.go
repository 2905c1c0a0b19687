package profile

import (
	"fmt"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// functionsShown is how many functions of a profile its table has.
const functionsShown = 25

// Sentence says what most of the time of a CPU profile was spent on.
func (p *Profile) Sentence() string {
	var most []string
	for _, s := range p.Shares() {
		if s.Share >= 0.05 {
			most = append(most, fmt.Sprintf("%s %s", s.Category, units.Percent(s.Share)))
		}
	}
	return fmt.Sprintf("CPU time: %s (of %s)", strings.Join(most, ", "), units.Plural(p.Samples, "sample"))
}

// Table returns what go tool pprof -top prints.
func (p *Profile) Table() *document.Table {
	top := p.Top(-1)
	t := &document.Table{Title: document.Say("Functions by self time"),
		Columns: document.Heads(document.Figure, "function", "self", "of total", "cumulative", "of total")}
	t.Columns[0].Kind = document.Name
	if len(top) > functionsShown {
		t.Title = document.Say(fmt.Sprintf("The %d of %d functions with the most self time", functionsShown, len(top)))
		top = top[:functionsShown]
	}
	for _, f := range top {
		self, ofSelf := p.Amount(f.Flat)
		cum, ofCum := p.Amount(f.Cum)
		t.Say("", self, ofSelf, cum, ofCum).Cells[0] = document.As(document.Given, f.Name)
	}
	return t
}

// Amount formats a value of a profile, and its share of the total.
func (p *Profile) Amount(v int64) (amount, share string) {
	switch share = units.Percent(float64(v) / float64(p.Total)); p.Unit {
	case "nanoseconds":
		return units.Duration(time.Duration(v)), share
	case "bytes":
		return units.Bytes(v), share
	}
	return units.Thousands(v), share
}
