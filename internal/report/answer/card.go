package answer

import (
	"slices"
	"strings"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// card returns what is said of a study.
func (x *computing) card(s subject) Study {
	c := Study{Name: s.Name, Ask: s.study.Question, Tally: tally(s.Study), Key: key(s), Run: s.run, Study: s.index,
		Article: s.study.Front.Article, Claims: []Claim{}, Lines: []Line{}}
	if v, id := answering(s); v != nil {
		c.Claim, c.Status = id, v.Status
	}
	if c.Answer, c.Short = sentences(s); c.Answer == nil {
		c.Answer = unanswered(s)
		c.Short = cut(c.Answer)
	}
	if c.Key >= 0 {
		c.Title = title(s, &s.Pictures[c.Key])
	}
	x.lines(&c, s)
	c.FullOnly = fullOnly(s)
	return c
}

// title returns what a card's picture shows: what was decided of its ratio, where the answer rests
// on a claim of that, for a claim is judged by all its places together, and single ones may have
// too few rounds; else what its figures say.
func title(s subject, p *picture) string {
	v, id := answering(s)
	c := claimOf(s.study, id)
	if v == nil || c == nil || c.Kind != language.Ratio || !isDecided(v) || len(p.Sides) == 0 {
		return p.Sentence()
	}
	num, den := sides(s, c)
	shows := slices.ContainsFunc(p.Sides, func(x figures.Sides) bool { return x.Num == num && x.Den == den })
	if r := ratioOf(s, c, v); r != nil && shows {
		return strings.TrimSuffix(general(s, c, v).String(), ".")
	}
	return p.Sentence()
}

// key returns the picture of a card.
func key(s subject) int {
	if i := slices.IndexFunc(s.Pictures, func(p picture) bool { return p.Title == s.study.Front.Key }); i >= 0 {
		if s.Pictures[i].HasFigures() {
			return i
		}
	}
	return slices.IndexFunc(s.Pictures, func(p picture) bool { return p.HasFigures() })
}

// answering returns the verdict that answers a study's question, and its claim: of those that
// the study names the first that is decided, else the first with a figure, else whatever the
// headline speaks of.
func answering(s subject) (*result.Verdict, string) {
	for _, want := range []func(*result.Verdict) bool{isDecided, hasFigure} {
		for _, id := range s.study.Answer {
			if v := verdict(judged(s.Study, id)); want(v) {
				return v, id
			}
		}
	}
	for _, h := range s.Study.Answer {
		if v := verdict(judged(s.Study, h.Claim)); h.Side == s.side && hasFigure(v) {
			return v, h.Claim
		}
	}
	for _, want := range []func(*result.Verdict) bool{isDecided, hasFigure} {
		for i := range s.Claims {
			if v := verdict(&s.Claims[i]); want(v) {
				return v, s.Claims[i].ID
			}
		}
	}
	return nil, ""
}

// hasFigure reports whether a claim was tested, whatever came of it.
func hasFigure(v *result.Verdict) bool {
	return v != nil && v.Status != claim.Untested && v.Deciding != nil && v.Deciding.Figure.Known()
}

// sentences returns the answer of a study in a sentence, and in a line of a table.
func sentences(s subject) (answer, short Sentence) {
	v, id := answering(s)
	if v == nil {
		return ofTables(s)
	}
	answer = Said(s.study, id, v)
	if said, ok := filled(s.study.Front.Say[id][language.Short], v); ok && isDecided(v) {
		return answer, fitting(said)
	}
	return answer, inShort(s, claimOf(s.study, id), v)
}

// Said returns what is said of a verdict on a claim of a study: in the study's own sentence, or in
// the general form.
func Said(st *language.Study, id string, v *result.Verdict) Sentence {
	if said, ok := filled(st.Front.Say[id][string(v.Status)], v); ok && isDecided(v) {
		return said
	}
	return general(subject{study: st}, claimOf(st, id), v)
}

// unanswered says of a study that has neither a tested claim nor a ratio what there is.
func unanswered(s subject) Sentence {
	measured := 0
	for i := range s.Cases {
		if c := &s.Cases[i]; c.Failed == "" && len(c.Invalid) == 0 && c.Time.Known() {
			measured++
		}
	}
	cases := "all its cases are"
	if len(s.Cases) == 1 {
		cases = "its only case is"
	}
	switch {
	case len(s.Cases) == 0:
		return language.Plain("Nothing of it was measured.")
	case measured == 0:
		return language.Plain("It has no figure that counts: " + cases + " INVALID or failed.")
	case len(s.Claims) == 0:
		return join(count(measured), wereMeasured(measured), ". There are no claims to test.")
	}
	return join(count(measured), wereMeasured(measured), ", and none of the conclusions was tested.")
}

func wereMeasured(n int) string {
	if n == 1 {
		return " case was measured"
	}
	return " cases were measured"
}
