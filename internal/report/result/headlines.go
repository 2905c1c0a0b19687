package result

import (
	"cmp"
	"slices"

	"memcost/internal/method/claim"
	"memcost/internal/study/language"
)

func headlines(st *language.Study, s *Study, judged []*claim.Judged) []Headline {
	var out []Headline
	best := answers(st, s)
	for _, j := range judged {
		h, ok := claimHeadline(st, s, best, j.Name)
		if !ok {
			h, ok = tableHeadline(st, s, j.Name)
		}
		if ok {
			h.Busy = j.Busy
			out = append(out, h)
		}
	}
	return out
}

// answers returns the ratio claims of a study, as indices, the one that answers best first:
// those that the study names, in its order; then one that is decided on some side; one of
// a publication before our own; then what is decided on the most sides, what was not
// printed as a figure, and what covers the most places. All sides are answered by the
// same claim, where they can be.
func answers(st *language.Study, s *Study) []int {
	type rank struct{ named, dependent, own, decided, printed, places int }
	ranks := make([]rank, len(st.Claims))
	var out []int
	for i, c := range st.Claims {
		if c.Kind != language.Ratio {
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
			r.decided += count(v.Status.Decided())
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

// claimHeadline returns the first of the claims that has a figure on the side.
func claimHeadline(st *language.Study, s *Study, order []int, side string) (h Headline, ok bool) {
	for _, i := range order {
		at := slices.IndexFunc(s.Claims[i].Verdicts, func(v Verdict) bool { return !v.Published && v.Data == side })
		if at < 0 {
			continue
		}
		v, c := s.Claims[i].Verdicts[at], st.Claims[i]
		h := Headline{Side: side, Claim: c.ID, Text: cmp.Or(c.Prose, c.Source), Status: v.Status, Says: v.unmarked(),
			Sides: sidesOf(st, c.Num, c.Den, c.Unit)}
		for _, e := range v.Elements {
			h.add(Place{e.Label, e.AsChosen(), e.CPU})
		}
		if h.Places > 0 {
			return h, true
		}
	}
	return h, false
}

func tableHeadline(st *language.Study, s *Study, side string) (h Headline, ok bool) {
	for _, t := range s.Tables {
		at := slices.IndexFunc(st.Tables, func(x language.Table) bool { return x.Title == t.Title && x.By == t.By })
		if t.Side != side || at < 0 {
			continue
		}
		for i, c := range st.Tables[at].Columns {
			if c.Den.IsZero() || !t.IsRatio(i) {
				continue
			}
			h := Headline{Side: side, Text: t.Title, Sides: sidesOf(st, c.Num, c.Den, c.Unit)}
			for _, r := range t.Rows {
				h.add(Place{Label: t.By + "=" + r.Label, Figure: r.Cells[i]})
			}
			return h, h.Places > 0
		}
	}
	return h, false
}
