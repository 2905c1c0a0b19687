package text

import (
	"fmt"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/gotool/profile"
)

// functionsShown is how many functions of a profile its table has.
const functionsShown = 25

// ProfileSentence says what most of the time of a CPU profile was spent on.
func ProfileSentence(p *profile.Profile) string {
	var most []string
	for _, s := range p.Shares() {
		if s.Share >= 0.05 {
			most = append(most, fmt.Sprintf("%s %s", s.Category, units.Percent(s.Share)))
		}
	}
	return fmt.Sprintf("CPU time: %s (of %s)", strings.Join(most, ", "), units.Plural(p.Samples, "sample"))
}

// ProfileTable returns what go tool pprof -top prints.
func ProfileTable(p *profile.Profile) Table {
	top := p.Top(-1)
	t := Table{Title: "Functions by self time", Header: []string{"function", "self", "of total",
		"cumulative", "of total"}}
	if len(top) > functionsShown {
		t.Title = fmt.Sprintf("The %d of %d functions with the most self time", functionsShown, len(top))
		top = top[:functionsShown]
	}
	for _, f := range top {
		self, ofSelf := ProfileValue(p, f.Flat)
		cum, ofCum := ProfileValue(p, f.Cum)
		t.add(f.Name, self, ofSelf, cum, ofCum)
	}
	return t
}

// ProfileValue formats a value of a profile, and its share of the total.
func ProfileValue(p *profile.Profile, v int64) (amount, share string) {
	switch share = units.Percent(float64(v) / float64(p.Total)); p.Unit {
	case "nanoseconds":
		return units.Duration(time.Duration(v)), share
	case "bytes":
		return units.Bytes(v), share
	}
	return units.Thousands(v), share
}
