package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/method/series"
)

// didWhat says, of each cause for exclusion, who did what to the machine.
var didWhat = map[string]string{
	series.OtherProcesses: "other programs used the CPU",
	series.CPUStolen:      "the hypervisor took the CPU",
}

// busy says in one sentence that so many rounds were disturbed that figures are those of a
// loaded machine, and what that does to the verdicts; "" of a machine that was not.
func busy(set *series.Set) string {
	if !set.Unfit() {
		return ""
	}
	count := map[string]int{}
	var causes []string
	for _, v := range set.Disturbed() {
		if v.Own {
			continue
		}
		if count[v.Cause]++; count[v.Cause] == 1 {
			causes = append(causes, v.Cause)
		}
	}
	slices.SortFunc(causes, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	var say []string
	if set.DisturbedShare() <= series.MaxVoidShare { // each round is too short to tell
		say, causes = []string{fmt.Sprintf("other programs used %.0f%% of a CPU", 100*set.ForeignShare())}, nil
	}
	for i, cause := range causes {
		s := fmt.Sprintf("%s in %s", didWhat[cause], share(count[cause], set.ComparisonRounds()))
		if i == 0 {
			s += " of the rounds"
		}
		say = append(say, s)
	}
	return "The machine was busy: " + strings.Join(say, ", ") + ". Ratios of different code, and " +
		"costs, get no verdict; those of the same code under two settings do."
}

// share returns n of all in whole percent; a few are not none.
func share(n, all int) string {
	if 200*n < all {
		return "less than 1%"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(all))
}
