package result

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
)

// Dependent reports whether the rounds of an estimate depend on each other so much that it is
// worth a word.
func Dependent(e claim.Estimate) bool { return e.Tau >= 1.5 }

// Linked reports the same of the links that its rounds ran: of few rounds the share alone may be
// chance.
func Linked(e claim.Estimate) bool { return e.LayoutShare >= 0.1 && e.LayoutP < 0.05 }

// Rests says what makes an interval wide, beside few rounds, or its figure doubtful: "rounds depend on
// each other (lag-1 0.42): 3 count as one; links explain 31% of the variance: 4 links"; "" if
// nothing does.
func EvidenceRests(e claim.Estimate) string {
	var say []string
	if Dependent(e) {
		say = append(say, fmt.Sprintf("rounds depend on each other (lag-1 %.2f): %s count as one", e.Lag1,
			units.Digits(e.Tau)))
	}
	if Linked(e) {
		say = append(say, fmt.Sprintf("links explain %.0f%% of the variance: %s", 100*e.LayoutShare,
			units.Plural(e.Layouts, "link")))
	}
	if e.Crashed > 0 {
		say = append(say, fmt.Sprintf("%d of %s crashed or timed out", e.Crashed, units.Plural(e.Samples, "sample")))
	}
	return strings.Join(say, "; ")
}
