package result

import (
	"math"

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
	// Crashed counts the samples, of Samples, that gave no result although others did.
	Crashed int `json:"crashed"`
	Samples int `json:"samples"`
}

func restsOn(e claim.Estimate) *Rests {
	if e.Rounds == 0 || math.IsNaN(e.Lag1) && e.Layouts == 0 && e.Crashed == 0 {
		return nil
	}
	n := func(v float64) figures.Number { return figures.Number(v) }
	return &Rests{n(e.Lag1), n(e.Tau), e.Layouts, n(e.LayoutShare), n(e.LayoutP), e.Crashed, e.Samples}
}

func (x *Rests) estimate() claim.Estimate {
	if x == nil {
		return claim.Estimate{}
	}
	return claim.Estimate{Lag1: float64(x.Lag1), Tau: float64(x.AsOne), Layouts: x.Links, LayoutShare: float64(x.Share),
		LayoutP: float64(x.P),
		Crashed: x.Crashed, Samples: x.Samples}
}

// String returns what makes the interval wide, or its figure doubtful; "" if nothing does.
func (x *Rests) String() string { return EvidenceRests(x.estimate()) }
