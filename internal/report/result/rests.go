package result

import (
	"fmt"
	"math"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
)

// Rests says what an interval rests on, beside the number of its rounds.
type Rests struct {
	Lag1  figures.Number `json:"lag1"`          // autocorrelation of a round with the next
	AsOne figures.Number `json:"rounds_as_one"` // rounds that tell as much as one independent round
	Links int            `json:"links"`         // 0: not known
	Share figures.Number `json:"links_share"`   // of the variance that lies between links
	P     figures.Number `json:"links_p"`       // of there being no such share
	// LimitedBy is "links" where more of the interval's width comes from them than from all else and there are no
	// further ones: a longer budget does not narrow it.
	LimitedBy string `json:"limited_by,omitempty"`
	// Crashed counts the samples, of Samples, that gave no result although others did.
	Crashed int `json:"crashed"`
	Samples int `json:"samples"`
}

func restsOn(e claim.Estimate) *Rests {
	if e.Rounds == 0 || math.IsNaN(e.Lag1) && e.Layouts == 0 && e.Crashed == 0 {
		return nil
	}
	n := func(v float64) figures.Number { return figures.Number(v) }
	return &Rests{Lag1: n(e.Lag1), AsOne: n(e.Tau), Links: e.Layouts, Share: n(e.LayoutShare), P: n(e.LayoutP),
		LimitedBy: LimitedBy(e), Crashed: e.Crashed, Samples: e.Samples}
}

// LimitedBy returns what makes an interval as wide as it is, where more rounds hardly narrow it: "links", or "".
func LimitedBy(e claim.Estimate) string {
	if e.LimitedByLinks {
		return "links"
	}
	return ""
}

// Dependent reports whether the rounds depend on each other so much that it is worth a word.
func (x *Rests) Dependent() bool { return x != nil && x.AsOne >= 1.5 }

// Linked reports the same of the links that the rounds ran: of few rounds the share alone may be chance.
func (x *Rests) Linked() bool { return x != nil && x.Share >= 0.1 && x.P < 0.05 }

// String returns what makes an interval wide, beside few rounds, or its figure doubtful: "rounds depend on
// each other (lag-1 0.42): 3 count as one; links explain 31% of the variance: 4 links"; "" if nothing does.
func (x *Rests) String() string {
	var say []string
	if x.Dependent() {
		say = append(say, fmt.Sprintf("rounds depend on each other (lag-1 %.2f): %s count as one", x.Lag1,
			units.Digits(float64(x.AsOne))))
	}
	if x != nil && x.LimitedBy != "" {
		say = append(say, fmt.Sprintf("limited by links: %d explain %.0f%% of the variance (without --layouts further "+
			"ones are drawn)", x.Links, 100*x.Share))
	} else if x.Linked() {
		say = append(say, fmt.Sprintf("links explain %.0f%% of the variance: %s", 100*x.Share, units.Plural(x.Links, "link")))
	}
	if x != nil && x.Crashed > 0 {
		say = append(say, fmt.Sprintf("%d of %s crashed or timed out", x.Crashed, units.Plural(x.Samples, "sample")))
	}
	return strings.Join(say, "; ")
}
