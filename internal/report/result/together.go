package result

import (
	"fmt"

	"memcost/internal/base/units"
)

// Together counts what stands when everything that a run reports is counted together: the verdicts
// that rest on an interval, and the comparisons with the first configuration.
type Together struct {
	Verdicts int `json:"verdicts"` // that hold or fail
	Stand    int `json:"stand"`    // of these, in that count
	All      int `json:"all"`      // that are counted, also the undecided ones, and the comparisons
}

// String returns the count in a sentence: "41 of 44 verdicts also stand when all 94 are counted together
// (false discovery rate at most 5%)"; "" where there is nothing to count.
func (x *Together) String() string {
	if x == nil || x.Verdicts == 0 || x.All < 2 {
		return ""
	}
	verb := "stand"
	if x.Stand == 1 {
		verb = "stands"
	}
	say := fmt.Sprintf("%d of %s also %s when all %d verdicts and comparisons of the run are counted together "+
		"(false discovery rate at most 5%%)", x.Stand, units.Plural(x.Verdicts, "verdict"), verb, x.All)
	if x.Stand < x.Verdicts {
		say += "; " + Mark + " marks the others"
	}
	return say
}

// Mark stands behind a verdict that does not stand when everything is counted together.
const Mark = "‡"
