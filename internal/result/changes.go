package result

import (
	"fmt"
	"strings"

	"memcost/internal/claim"
	"memcost/internal/units"
)

// Changed returns the cases that are known to have changed against the first
// arm, and says how many they are and what is known of the others; count is ""
// where nothing was compared.
func (a *Answer) Changed(s *Suite) (changed []Case, count, rest string) {
	equal, open := 0, 0
	for _, c := range s.Cases {
		if c.VsFirst == nil {
			continue
		}
		switch claim.Difference(c.VsFirst.Difference) {
		case claim.Changed:
			changed = append(changed, c)
		case claim.Equivalent:
			equal++
		default:
			open++
		}
	}
	all := len(changed) + equal + open
	if all == 0 {
		return nil, "", ""
	}
	var others []string
	if equal > 0 {
		others = append(others, fmt.Sprintf("%d equal within 1%%", equal))
	}
	if open > 0 {
		others = append(others, fmt.Sprintf("%d open", open))
	}
	count = fmt.Sprintf("%d of %s changed", len(changed), units.Plural(all, "comparison"))
	rest = fmt.Sprintf("(false discovery rate at most %g%%), %s", 100*a.Options.Alpha, strings.Join(others, ", "))
	return changed, count, strings.TrimSuffix(rest, ", ")
}

// String is the comparison in words: "1.30× [1.29, 1.31] changed".
func (c Comparison) String() string {
	s := c.Figure.String()
	switch {
	case claim.Difference(c.Difference) == claim.Changed:
		return s + " changed"
	case claim.Difference(c.Difference) == claim.Equivalent:
		return s + " equal"
	case c.Discovery:
		return s + " differs" // but perhaps by less than 1%
	}
	return s + " open"
}
