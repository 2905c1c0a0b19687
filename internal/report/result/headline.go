package result

import (
	"fmt"
	"math"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// A Headline is the answer of a study on one side in one line: the verdict of the
// ratio claim that answers best, and how far the ratio goes; without such a claim the
// first ratio of its tables.
type Headline struct {
	Side    string        `json:"arm"`
	Claim   string        `json:"claim,omitempty"`  // its ID
	Text    string        `json:"text"`             // the claim in its author's words, or the table's title
	Status  claim.Status  `json:"status,omitempty"` // of the claim
	Says    string        `json:"says,omitempty"`   // the same in words, with the scope
	Busy    bool          `json:"busy,omitempty"`   // the figures are those of a busy machine
	Sides   figures.Sides `json:"sides"`            // what the ratio is of
	Places  int           `json:"places"`
	Lowest  Place         `json:"lowest"`
	Highest Place         `json:"highest"`

	cpu Place // where its CPU time tells most beside the time
}

// A Place is where a figure was found: "size=1024".
type Place struct {
	Label  string         `json:"label"`
	Figure figures.Figure `json:"figure"`
	CPU    *CPU           `json:"cpu,omitempty"` // where only one side of the ratio allocates
}

func (h *Headline) add(p Place) {
	v := float64(p.Figure.Value)
	if math.IsNaN(v) {
		return
	}
	if h.Places == 0 || v < float64(h.Lowest.Figure.Value) {
		h.Lowest = p
	}
	if h.Places == 0 || v > float64(h.Highest.Figure.Value) {
		h.Highest = p
	}
	if h.Places++; p.tellsMore(h.cpu) {
		h.cpu = p
	}
}

// tellsMore reports whether the CPU time of a place tells more than that of another: where it is
// spent elsewhere, then where the ratio is larger.
func (p Place) tellsMore(other Place) bool {
	a, b := p.CPU, other.CPU
	switch {
	case a == nil || b == nil:
		return a != nil
	case a.Elsewhere != b.Elsewhere:
		return a.Elsewhere
	}
	return a.Ratio.Value > b.Ratio.Value
}

// Sentence returns the headline in words: the ratio with both sides first, then the verdict,
// and the claim as a quotation, for its words may have other figures in them.
func (h Headline) Sentence() string {
	say := h.Sides.Sentence(h.Lowest.Figure.Times(), h.Lowest.where())
	if h.Places > 1 {
		say += " and " + h.Highest.Figure.Times() + " times" + h.Highest.where()
	}
	if h.Busy {
		say += " " + figures.Beside
	}
	if x := h.cpu.CPU; x != nil {
		where := ""
		if h.Places > 1 {
			where = h.cpu.where()
		}
		say += x.sentence(where)
	}
	if h.Status == "" {
		return h.Text + ": " + say
	}
	status := h.Says
	if h.Status != claim.Holds && h.Status != claim.Fails {
		status = "is " + status
	}
	return fmt.Sprintf("%s. Claim %s %s: “%s”", say, h.Claim, status, h.Text)
}

// where returns " at 64 KiB", or nothing where the claim has one place.
func (p Place) where() string {
	if at := figures.Place(p.Label); at != "" {
		return " at " + at
	}
	return ""
}

func sidesOf(st *language.Study, num, den language.Selector, unit string) figures.Sides {
	a, b := st.Sides(num, den)
	return figures.Sides{Num: a, Den: b, Unit: unit}
}
