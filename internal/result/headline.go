package result

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/claim"
)

// A Headline is the answer of a study on one arm in one line: the verdict of the
// ratio claim that answers best, and how far the ratio goes; without such a claim the
// first ratio of its tables.
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
	best := answers(st, s)
	for _, j := range judged {
		h, ok := claimHeadline(s, best, j.Name)
		if !ok {
			h, ok = tableHeadline(s, j.Name)
		}
		if ok {
			out = append(out, h)
		}
	}
	return out
}

// answers are the ratio claims of a study, as indices, the one that answers best first:
// one that stands by itself, before one that only goes on with another ("and halves the
// bytes"); one that is decided on some arm; one of the study before our own; then what is
// decided on the most arms, and what covers the most places. All arms are answered by the same claim, where they can be.
func answers(st *catalog.Study, s *Suite) []int {
	type rank struct{ dependent, ours, decided, figures, places int }
	ranks := make([]rank, len(st.Claims))
	var out []int
	for i, c := range st.Claims {
		if c.Kind != catalog.Ratio {
			continue
		}
		out = append(out, i)
		r := &ranks[i]
		if goesOn(c.Prose) {
			r.dependent = 1
		}
		if strings.HasPrefix(c.Prose, ours) {
			r.ours = 1
		}
		if publishedFigure.MatchString(c.Prose) {
			r.figures = 1
		}
		for _, v := range s.Claims[i].Verdicts {
			if v.Published {
				continue
			}
			if v.Status == string(claim.Holds) || v.Status == string(claim.Fails) {
				r.decided++
			}
			r.places += len(v.Elements)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		a, b := ranks[i], ranks[j]
		return cmp.Or(cmp.Compare(a.dependent, b.dependent), cmp.Compare(min(1, b.decided), min(1, a.decided)), cmp.Compare(a.ours, b.ours), cmp.Compare(b.decided, a.decided),
			cmp.Compare(a.figures, b.figures), cmp.Compare(b.places, a.places))
	})
	return out
}

// ours begins the prose of a claim that the study's author did not make.
const ours = "ours: "

// goesOn tells whether a claim's words need those of the claim before.
func goesOn(prose string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(prose, ours), " ")
	return slices.Contains([]string{"and", "but", "nor", "which", "with", "of", "by", "above", "below"}, first)
}

// claimHeadline is the first of the claims that has a figure on the arm.
func claimHeadline(s *Suite, order []int, arm string) (h Headline, ok bool) {
	for _, i := range order {
		at := slices.IndexFunc(s.Claims[i].Verdicts, func(v Verdict) bool { return !v.Published && v.Data == arm })
		if at < 0 {
			continue
		}
		v := s.Claims[i].Verdicts[at]
		h := Headline{Arm: arm, Claim: s.Claims[i].ID, Text: s.Claims[i].Says(), Status: v.Status}
		for _, e := range v.Elements {
			h.add(Place{e.Label, e.Figure})
		}
		if h.Places > 0 {
			return h, true
		}
	}
	return h, false
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

// isRatio reports whether a column shows ratios, as far as it shows anything.
func (t *Table) isRatio(column int) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool {
		f := r.Cells[column]
		return f.Unit == "" && !math.IsNaN(float64(f.Value))
	})
}
