package answer

import (
	"strings"
	"testing"

	"memcost/internal/report/result"
	"memcost/internal/study/language"
	"memcost/study"
)

// recordedShipped is a run of the shipped studies, as their verdicts were recorded.
func recordedShipped(t *testing.T) *Front {
	t.Helper()
	shipped, err := language.ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	a := &result.Answer{Kind: result.Run}
	for _, st := range shipped {
		s := result.Study{Name: st.Name, Study: st}
		for _, c := range st.Claims {
			x := result.Claim{ID: c.ID, Prose: c.Prose}
			if v := readVerdicts(t)[st.Name][c.ID]; v != nil {
				x.Verdicts = append(x.Verdicts, *v)
			}
			s.Claims = append(s.Claims, x)
		}
		if len(readVerdicts(t)[st.Name]) > 0 {
			a.Studies = append(a.Studies, s)
		}
	}
	return Of([]*result.Answer{a}, Options{Shipped: shipped})
}

// contradiction returns two lines of a front that answer one question with two figures, of which the
// second does not say what differs; "" where there are none.
func contradiction(f *Front, studies map[string]*language.Study) string {
	type line struct{ study, text string }
	first := map[string]line{}
	check := func(name, id string, texts ...string) string {
		st := studies[name]
		q := ""
		if st != nil {
			q = question(st, id)
		}
		for _, text := range texts {
			if before, ok := first[q]; q != "" && ok && before.study != name && !saysWork(text, st.Front.Work) {
				return before.study + ": " + before.text + "\n" + name + ": " + text
			}
			if _, ok := first[q]; !ok {
				first[q] = line{name, text}
			}
		}
		return ""
	}
	for _, s := range f.Studies {
		if says := check(s.Name, s.Claim, s.Answer.String(), s.Short.String()); says != "" {
			return says
		}
	}
	for _, a := range f.Advice {
		if says := check(a.Study, a.Claim, a.Because.String()); says != "" {
			return says
		}
	}
	return ""
}

// No two figures for one question stand on a front without the reason beside them.
func TestOneFigureForOneQuestion(t *testing.T) {
	shipped, err := language.ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	studies := map[string]*language.Study{}
	for _, st := range shipped {
		studies[st.Name] = st
	}
	all := recordedShipped(t)
	fronts := []*Front{all}
	for _, name := range []string{"healthy", "arms"} {
		st := smaug(t, name)
		other := *st
		other.Name, other.Front.Work = "other", []string{"by other work"}
		a := recordedRun(t, name)
		a.Studies = append(a.Studies, a.Studies[0])
		a.Studies[1].Name = "other"
		studies[st.Name], studies["other"] = st, &other
		fronts = append(fronts, Of([]*result.Answer{a}, Options{Shipped: []*language.Study{st, &other}}))
	}
	asked := map[string]int{}
	for i, f := range fronts {
		if says := contradiction(f, studies); says != "" {
			t.Errorf("front %d:\n%s", i, says)
		}
		for _, s := range f.Studies {
			asked[question(studies[s.Name], s.Claim)]++
		}
	}
	if asked["heap stack"] < 5 {
		t.Errorf("too few studies answer one question for the test to see it: %v", asked)
	}
	for i := range all.Studies { // without the reasons there is a contradiction
		c := &all.Studies[i]
		c.Short = Sentence{{Text: strings.ReplaceAll(strings.ToLower(c.Short.String()), "handed up", "")}}
	}
	if contradiction(all, studies) == "" {
		t.Error("two figures without the reason beside them went unseen")
	}
}
