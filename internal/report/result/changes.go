package result

import (
	"cmp"
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
)

// Changed returns the cases that are known to have changed against the first
// side, and says how many they are and what is known of the others; count is ""
// where nothing was compared.
func (a *Answer) Changed(s *Study) (changed []Case, count, rest string) {
	equivalent, undecided := 0, 0
	for _, c := range s.Cases {
		if c.VsFirst == nil {
			continue
		}
		switch c.VsFirst.Difference {
		case claim.Changed:
			changed = append(changed, c)
		case claim.Equivalent:
			equivalent++
		default:
			undecided++
		}
	}
	all := len(changed) + equivalent + undecided
	if all == 0 {
		return nil, "", ""
	}
	var others []string
	if equivalent > 0 {
		others = append(others, fmt.Sprintf("%d equivalent within %s", equivalent,
			units.Share(cmp.Or(a.Options.Margin, claim.Margin))))
	}
	if undecided > 0 {
		others = append(others, fmt.Sprintf("%d undecided", undecided))
	}
	count = fmt.Sprintf("%d of %s changed", len(changed), units.Plural(all, "comparison"))
	rest = fmt.Sprintf("(false discovery rate at most %g%%), %s", 100*a.Options.Alpha, strings.Join(others, ", "))
	return changed, count, strings.TrimSuffix(rest, ", ")
}

// String returns the comparison in words: "1.30× [1.29, 1.31] changed".
func (c Comparison) String() string { return c.Figure.String() + " " + string(c.Difference) }
