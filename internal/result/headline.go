package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
	Sides   Sides  `json:"sides"`            // what the ratio is of
	Places  int    `json:"places"`
	Lowest  Place  `json:"lowest"`
	Highest Place  `json:"highest"`
}

// A Place is where a figure was found: "size=1024".
type Place struct {
	Label  string `json:"label"`
	Figure Figure `json:"figure"`
}

func headlines(st *catalog.Study, s *Suite, judged []*claim.Judged) []Headline {
	var out []Headline
	best := answers(st, s)
	for _, j := range judged {
		h, ok := claimHeadline(st, s, best, j.Name)
		if !ok {
			h, ok = tableHeadline(st, s, j.Name)
		}
		if ok {
			out = append(out, h)
		}
	}
	return out
}

// answers are the ratio claims of a study, as indices, the one that answers best first:
// those that the study names, in its order; then one that is decided on some arm; one of
// a publication before our own; then what is decided on the most arms, what was not
// printed as a figure, and what covers the most places. All arms are answered by the
// same claim, where they can be.
func answers(st *catalog.Study, s *Suite) []int {
	type rank struct{ named, dependent, own, decided, printed, places int }
	ranks := make([]rank, len(st.Claims))
	var out []int
	for i, c := range st.Claims {
		if c.Kind != catalog.Ratio {
			continue
		}
		out = append(out, i)
		r := &ranks[i]
		r.named = slices.Index(st.Answer, c.ID)
		if r.named < 0 {
			r.named = len(st.Answer)
		}
		r.dependent, r.own, r.printed = count(c.GoesOn), count(c.Own), count(c.Published != "")
		for _, v := range s.Claims[i].Verdicts {
			if v.Published {
				continue
			}
			r.decided += count(v.Status == string(claim.Holds) || v.Status == string(claim.Fails))
			r.places += len(v.Elements)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		a, b := ranks[i], ranks[j]
		return cmp.Or(cmp.Compare(a.named, b.named), cmp.Compare(a.dependent, b.dependent),
			cmp.Compare(min(1, b.decided), min(1, a.decided)), cmp.Compare(a.own, b.own),
			cmp.Compare(b.decided, a.decided),
			cmp.Compare(a.printed, b.printed), cmp.Compare(b.places, a.places))
	})
	return out
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// claimHeadline is the first of the claims that has a figure on the arm.
func claimHeadline(st *catalog.Study, s *Suite, order []int, arm string) (h Headline, ok bool) {
	for _, i := range order {
		at := slices.IndexFunc(s.Claims[i].Verdicts, func(v Verdict) bool { return !v.Published && v.Data == arm })
		if at < 0 {
			continue
		}
		v, c := s.Claims[i].Verdicts[at], st.Claims[i]
		h := Headline{Arm: arm, Claim: c.ID, Text: cmp.Or(c.Prose, c.Source), Status: v.Status,
			Sides: sidesOf(st, c.Num, c.Den, c.Unit)}
		for _, e := range v.Elements {
			h.add(Place{e.Label, e.Figure})
		}
		if h.Places > 0 {
			return h, true
		}
	}
	return h, false
}

func tableHeadline(st *catalog.Study, s *Suite, arm string) (h Headline, ok bool) {
	for _, t := range s.Tables {
		at := slices.IndexFunc(st.Tables, func(x catalog.Table) bool { return x.Title == t.Title && x.By == t.By })
		if t.Arm != arm || at < 0 {
			continue
		}
		for i, c := range st.Tables[at].Columns {
			if c.Den.IsZero() || !t.isRatio(i) {
				continue
			}
			h := Headline{Arm: arm, Text: t.Title, Sides: sidesOf(st, c.Num, c.Den, c.Unit)}
			for _, r := range t.Rows {
				h.add(Place{t.By + "=" + r.Label, r.Cells[i]})
			}
			return h, h.Places > 0
		}
	}
	return h, false
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
	h.Places++
}

// Sentence is the headline in words: the ratio with both sides first, then the verdict,
// and the claim as a quotation, for its words may have other figures in them.
func (h Headline) Sentence() string {
	say := h.Sides.Sentence(h.Lowest.times(), h.Lowest.where())
	if h.Places > 1 {
		say += " and " + h.Highest.times() + " times" + h.Highest.where()
	}
	if h.Status == "" {
		return h.Text + ": " + say
	}
	return fmt.Sprintf("%s — %s: “%s”", say, h.Status, h.Text)
}

// times is the ratio with its interval: "2.35 [2.12, 2.79]".
func (p Place) times() string {
	return strings.TrimSpace(units.Digits(float64(p.Figure.Value)) + " " + p.Figure.interval())
}

// where is " at 64 KiB", or nothing where the claim has one place.
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

// isRatio reports whether a column shows ratios, as far as it shows anything.
func (t *Table) isRatio(column int) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		f := r.Cells[column]
		return f.Unit == "" && !math.IsNaN(float64(f.Value))
	})
}
