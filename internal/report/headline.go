package report

import (
	"math"
	"slices"

	"memcost/internal/catalog"
	"memcost/internal/claim"
)

// A Headline is the answer of a study on one arm in one line: the verdict of the
// ratio claim that covers most places, and how far the ratio goes; without such a
// claim the first ratio of its tables.
type Headline struct {
	Arm     string `json:"arm"`
	Claim   string `json:"claim,omitempty"`  // its ID
	Text    string `json:"text"`             // the claim in its author's words, or the table and column
	Status  string `json:"status,omitempty"` // of the claim
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
	for _, j := range judged {
		h, ok := claimHeadline(st, s, j.Name)
		if !ok {
			h, ok = tableHeadline(s, j.Name)
		}
		if ok {
			out = append(out, h)
		}
	}
	return out
}

func claimHeadline(st *catalog.Study, s *Suite, arm string) (best Headline, ok bool) {
	for i, c := range st.Claims {
		if c.Kind != catalog.Ratio {
			continue
		}
		at := slices.IndexFunc(s.Claims[i].Verdicts, func(v Verdict) bool { return !v.Published && v.Data == arm })
		if at < 0 {
			continue
		}
		v := s.Claims[i].Verdicts[at]
		h := Headline{Arm: arm, Claim: c.ID, Text: s.Claims[i].says(), Status: v.Status}
		for _, e := range v.Elements {
			h.add(Place{e.Label, e.Figure})
		}
		if h.Places > best.Places {
			best, ok = h, true
		}
	}
	return best, ok
}

func tableHeadline(s *Suite, arm string) (h Headline, ok bool) {
	for _, t := range s.Tables {
		if t.Arm != arm {
			continue
		}
		for i, column := range t.Columns {
			if !t.isRatio(i) {
				continue
			}
			h := Headline{Arm: arm, Text: t.Title + ": " + column}
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

// says is the claim in its author's words.
func (c *Claim) says() string {
	if c.Prose != "" {
		return c.Prose
	}
	return c.Text
}

// isRatio reports whether a column shows ratios, as far as it shows anything.
func (t *Table) isRatio(column int) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		f := r.Cells[column]
		return f.Unit == "" && !math.IsNaN(float64(f.Value))
	})
}
