package answer

import (
	"maps"
	"slices"

	"memcost/internal/method/claim"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

type adviceText = language.Advice

// isEmpty reports whether a study has nothing for the front.
func isEmpty(st *language.Study) bool {
	f := st.Front
	return f.Key == "" && len(f.Say)+len(f.Advise)+len(f.Axis)+len(f.Article) == 0
}

func without(say map[string]map[string]string, id string) map[string]map[string]string {
	out := maps.Clone(say)
	delete(out, id)
	return out
}

// claimOf returns a claim of a study, or nil.
func claimOf(st *language.Study, id string) *language.Claim {
	if i := slices.IndexFunc(st.Claims, func(c language.Claim) bool { return c.ID == id }); i >= 0 {
		return &st.Claims[i]
	}
	return nil
}

// judged returns a claim of a study, or nil.
func judged(s *result.Study, id string) *result.Claim {
	if i := slices.IndexFunc(s.Claims, func(c result.Claim) bool { return c.ID == id }); i >= 0 {
		return &s.Claims[i]
	}
	return nil
}

// verdict returns the verdict on a claim of the first configuration, or nil.
func verdict(c *result.Claim) *result.Verdict {
	if c == nil {
		return nil
	}
	if i := slices.IndexFunc(c.Verdicts, func(v result.Verdict) bool { return !v.Published }); i >= 0 {
		return &c.Verdicts[i]
	}
	return nil
}

// isDecided reports whether a claim holds, fails or is at its bound.
func isDecided(v *result.Verdict) bool {
	return v != nil && v.Status.Decided()
}

// stands reports whether a verdict also stands when everything is counted together.
func stands(v *result.Verdict) bool { return !v.Counted || v.Selected }

// tally counts the verdicts of a study on its first configuration.
func tally(s *result.Study) (t Tally) {
	for i := range s.Claims {
		switch v := verdict(&s.Claims[i]); {
		case v == nil:
		case v.Status == claim.Holds:
			t.Hold++
		case v.Status == claim.Fails:
			t.Fail++
		case v.Status == claim.AtBound:
			t.AtBound++
		case v.Undecided():
			t.Undecided++
		case broken(v):
			t.Invalid++
		default:
			t.NotTested++
		}
	}
	return t
}

// broken reports whether a claim was not tested because its cases do not do what they say, or
// failed.
func broken(v *result.Verdict) bool {
	return v.Why == claim.InvalidNote || v.Scope != nil && v.Scope.Invalid+v.Scope.Failed > 0
}
