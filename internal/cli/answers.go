package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/measure/sample"
	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// Answers tells the answers of a run as they are decided: of each study the claims that answer its
// question, in their order, until one is decided; of a package that names none, its first few.
type liveAnswers struct {
	told map[string][]string // the claims of each study
	wait map[string]int      // the round in which an answer was decided first
}

// few is how many claims of a package are told that does not say which of them answer.
const few = 3

// Decided returns what has been decided since it was asked last, a line each. It answers at the
// beginning of a round only: intervals take time.
func (a *liveAnswers) Decided(x sample.Progress) (lines []string) {
	if x.Done > 0 {
		return nil
	}
	for i, j := range x.Judged {
		name, st := x.Suites[i].Name, x.Suites[i].Study
		for _, c := range a.next(name, st, j) {
			wait := a.waits(name+" "+st.Claims[c].ID, x.Round)
			if wait > 0 && wait < patience {
				continue // its intervals were asked for, and take some rounds more
			}
			full := x.InFull(i)
			if !decided(full.Verdicts[c]) || wait == 0 && !bounded(full.Verdicts[c]) {
				continue
			}
			a.tell(name, st.Claims[c].ID)
			lines = append(lines, says(x, i, full, c))
		}
	}
	return lines
}

func (a *liveAnswers) tell(study, id string) {
	if a.told == nil {
		a.told = map[string][]string{}
	}
	a.told[study] = append(a.told[study], id)
}

// patience is how many rounds an answer waits for its intervals. What is decided early may not be
// measured again, and is told without.
const patience = 4

// waits returns for how many rounds an answer has waited.
func (a *liveAnswers) waits(answer string, round int) int {
	since, waits := a.wait[answer]
	if waits {
		return round - since
	}
	if a.wait == nil {
		a.wait = map[string]int{}
	}
	a.wait[answer] = round
	return 0
}

// bounded reports whether all figures of a verdict have intervals: one can be decided a round or
// two before.
func bounded(v claim.Verdict) bool {
	return !slices.ContainsFunc(v.Elements, func(e claim.Element) bool {
		return e.Status != claim.Untested && !e.Single && math.IsInf(e.Interval.Width(), 1)
	})
}

// next returns which claims of a study are to be told now.
func (a *liveAnswers) next(name string, st *language.Study, j *claim.Judged) (claims []int) {
	told := a.told[name]
	for _, id := range st.Answer {
		c := slices.IndexFunc(st.Claims, func(c language.Claim) bool { return c.ID == id })
		switch {
		case c < 0 || !decided(j.Verdicts[c]):
			continue
		case slices.Contains(told, id):
			return nil
		}
		return []int{c}
	}
	for c, v := range j.Verdicts {
		if len(st.Answer) == 0 && decided(v) && !slices.Contains(told, st.Claims[c].ID) && len(told)+len(claims) < few {
			claims = append(claims, c)
		}
	}
	return claims
}

func decided(v claim.Verdict) bool { return v.Status == claim.Holds || v.Status == claim.Fails }

// says returns what is decided of a claim, in a line.
func says(x sample.Progress, suite int, j *claim.Judged, c int) string {
	st := x.Suites[suite].Study
	v := result.VerdictOf(st, c, j)
	at := x.Suites[suite].Name + " " + st.Claims[c].ID
	if len(x.Arms(suite)) > 1 {
		at += ", " + v.Data
	}
	said := strings.TrimSuffix(answer.Said(st, st.Claims[c].ID, &v).String(), ".")
	return fmt.Sprintf("decided: %s (%s)", within(said), at)
}

// within returns a sentence as it stands after a colon.
func within(s string) string {
	first, rest, _ := strings.Cut(s, " ")
	if slices.Contains(strings.Fields("A An At From In It On The Twice Up With Not"), first) {
		return strings.ToLower(first) + " " + rest
	}
	return s
}
