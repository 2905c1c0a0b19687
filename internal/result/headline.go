package result

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/units"
)

// A Headline is the answer of a study on one arm in one line: the verdict of the
// ratio claim that answers best, and how far the ratio goes; without such a claim the
// first ratio of its tables.
type Headline struct {
	Arm     string `json:"arm"`
	Claim   string `json:"claim,omitempty"`  // its ID
	Text    string `json:"text"`             // the claim in its author's words, or the table's title
	Status  string `json:"status,omitempty"` // of the claim
	Says    string `json:"says,omitempty"`   // the same in words, with the scope
	Busy    bool   `json:"busy,omitempty"`   // the figures are those of a busy machine
	Sides   Sides  `json:"sides"`            // what the ratio is of
	Places  int    `json:"places"`
	Lowest  Place  `json:"lowest"`
	Highest Place  `json:"highest"`

	cpu Place // where its CPU time tells most beside the time
}

// A Place is where a figure was found: "size=1024".
type Place struct {
	Label  string `json:"label"`
	Figure Figure `json:"figure"`
	CPU    *CPU   `json:"cpu,omitempty"` // where only one side of the ratio allocates
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
	say := h.Sides.Sentence(h.Lowest.times(), h.Lowest.where())
	if h.Places > 1 {
		say += " and " + h.Highest.times() + " times" + h.Highest.where()
	}
	if h.Busy {
		say += " " + Beside
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
	if h.Status != string(claim.Holds) && h.Status != string(claim.Fails) {
		status = "is " + status
	}
	return fmt.Sprintf("%s. Claim %s %s: “%s”", say, h.Claim, status, h.Text)
}

// times returns the ratio with its interval: "2.35 [2.12, 2.79]".
func (p Place) times() string {
	return strings.TrimSpace(units.Digits(float64(p.Figure.Value)) + " " + p.Figure.interval())
}

// where returns " at 64 KiB", or nothing where the claim has one place.
func (p Place) where() string {
	if at := place(p.Label); at != "" {
		return " at " + at
	}
	return ""
}

// Sides are the two sides of a ratio, as they are called in a sentence, and the unit
// that both have.
type Sides struct {
	Num  string `json:"numerator"`
	Den  string `json:"denominator"`
	Unit string `json:"unit"`
}

func sidesOf(st *catalog.Study, num, den catalog.Selector, unit string) Sides {
	a, b := st.Sides(num, den)
	return Sides{a, b, unit}
}

// larger says that one of the sides has the larger figure: "heap costs more".
func (s Sides) larger(side string) string {
	switch s.Unit {
	case "sec/op", "":
		return side + " costs more"
	case "B/op":
		return side + " allocates more"
	case "allocs/op":
		return side + " makes more allocations"
	}
	return side + " has more"
}

// short names the ratio in a table: "heap/stack"; "" where that would be long.
func (s Sides) short() string {
	const most = 24
	bare := func(side string) string {
		for _, article := range []string{"the ", "an ", "a "} {
			if rest, ok := strings.CutPrefix(side, article); ok {
				return rest
			}
		}
		return side
	}
	name := bare(s.Num) + "/" + bare(s.Den)
	if utf8.RuneCountInString(name) > most {
		return ""
	}
	return name
}

// Sentence says that one side has so many times of what the other has, where that is:
// "The heap costs 2.8 times the stack at 1 MiB".
func (s Sides) Sentence(times, where string) string {
	does, of := "has", "the "+s.Unit+" of "
	switch s.Unit {
	case "sec/op", "":
		does, of = "costs", ""
	case "B/op":
		does, of = "allocates", "the bytes of "
	case "allocs/op":
		does, of = "makes", "the allocations of "
	}
	first, size := utf8.DecodeRuneInString(s.Num)
	return fmt.Sprintf("%c%s %s %s times %s%s%s", unicode.ToUpper(first), s.Num[size:], does, times, of, s.Den, where)
}
