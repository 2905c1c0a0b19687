package result

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
)

// Excluded says how many rounds of the comparisons are excluded, and what caused it.
func (a *Answer) Excluded() string {
	if len(a.Voids) == 0 {
		return "no round excluded"
	}
	excluded, own := 0, 0
	var causes []string
	for _, v := range a.Voids {
		if v.Excluded {
			excluded++
		}
		if v.Own {
			own++
		}
		if !slices.Contains(causes, v.Cause) {
			causes = append(causes, v.Cause)
		}
	}
	slices.Sort(causes)
	all := units.Plural(a.ComparisonRounds, "round")
	if a.ComparisonRounds > 999 {
		all = units.Thousands(a.ComparisonRounds) + " rounds"
	}
	if a.ComparisonRounds > a.Rounds {
		all += " of comparisons"
	}
	say, kept := fmt.Sprintf("%d of %s excluded", excluded, all), len(a.Voids)-excluded-own
	switch {
	case excluded > 0 && kept > 0:
		say += fmt.Sprintf(", %d more met the rule and count all the same", kept)
	case kept > 0:
		say = fmt.Sprintf("no round excluded, %d of %s met the rule and count all the same", kept, all)
	case excluded == 0:
		say = "no round of " + all + " excluded"
	}
	if own > 0 {
		say += fmt.Sprintf(", %d count because what ran then met it by its own doing", own)
	}
	return say + ": " + strings.Join(causes, ", ")
}
