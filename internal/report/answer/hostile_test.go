package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
	"memcost/internal/testkit"
)

// Names that others choose are data, wherever they stand: nothing panics, a template's braces
// in them are not filled, and a line of the table of studies stays one.
func TestHostileNames(t *testing.T) {
	for _, name := range testkit.Hostiles {
		a := recordedRun(t, "healthy")
		a.Dir, a.Label, a.Machine.CPUModel, a.Machine.Virtualization = name, name, name, name
		a.Warnings = []string{name}
		a.Sides[0].Name, a.Sides[0].Toolchain = name, name
		s := &a.Studies[0]
		s.Name, s.Question = name, name
		for i := range s.Cases {
			s.Cases[i].Name, s.Cases[i].Side = name+s.Cases[i].Name, name
			s.Cases[i].Flags = []string{name}
		}
		for i := range s.Claims {
			c := &s.Claims[i]
			c.ID, c.Prose, c.Text, c.Published = name, name, name, name
			for j := range c.Verdicts {
				v := &c.Verdicts[j]
				v.Data = name
				for k := range v.Elements {
					v.Elements[k].Label = name
				}
				if v.Deciding != nil {
					v.Deciding.Label = name
				}
			}
		}
		for i := range s.Answer {
			s.Answer[i].Side, s.Answer[i].Sides.Num, s.Answer[i].Sides.Den = name, name, name
			s.Answer[i].Lowest.Label = name
		}
		st := *s.Study
		st.Name, st.Question = name, name
		st.Claims = slices.Clone(st.Claims)
		for i := range st.Claims {
			st.Claims[i].ID, st.Claims[i].Prose = name, name
		}
		s.Study = &st
		f := Of([]*result.Answer{a, a}, Options{Shipped: []*language.Study{{Name: name, Question: name}}})
		if _, err := json.Marshal(f); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if n := utf8.RuneCountInString(f.Studies[0].Short.String()); n > MaxShort {
			t.Errorf("%q: a line has %d columns: %s", name, n, f.Studies[0].Short)
		}
		if f.Studies[0].Ask != name || f.Studies[0].Name != name {
			t.Errorf("%q: asks %q", name, f.Studies[0].Ask)
		}
	}
}

// What a filled figure stands beside is not filled again.
func TestPlacesAreNotTemplates(t *testing.T) {
	a := recordedRun(t, "healthy")
	v := verdictOf(t, a, "S1")
	for i := range v.Elements {
		v.Elements[i].Label = "cause={hi}"
	}
	s, ok := filled("It costs {lo} at {lo.at}.", v)
	if !ok || s.String() != "It costs 3.1 [3.0, 3.2] at cause {hi}." {
		t.Errorf("%s", s)
	}
}

// A run of 10,000 cases is computed while one waits: a
// front that went over all cases for each case would take a hundred times as long.
func TestManyCases(t *testing.T) {
	start := time.Now()
	Of([]*result.Answer{large(t, 100)}, Options{})
	small := time.Since(start)
	start = time.Now()
	f := Of([]*result.Answer{large(t, 10_000)}, Options{})
	if took := time.Since(start); took > 100*max(small, 20*time.Millisecond) {
		t.Errorf("10,000 cases take %v, 100 %v", took, small)
	}
	if n := len(f.Axis.mean(t, "heap").Points); n != 5_000 {
		t.Errorf("%d points", n)
	}
	if f.Tally.Hold != 1 || len(f.Studies[0].Lines) != 1 {
		t.Errorf("%+v", f.Tally)
	}
}

// large returns a run of n cases, half of them on the heap, with one claim of all.
func large(t testing.TB, n int) *result.Answer {
	t.Helper()
	st := smaug(t, "healthy")
	fig := func(v float64) figures.Figure {
		return figures.Figure{Value: figures.Number(v), Lo: figures.Number(v * 0.9), Hi: figures.Number(v * 1.1), N: 9}
	}
	s := result.Study{Name: "large", Study: st}
	v := result.Verdict{Data: "go", Status: "holds", Says: "holds"}
	for i := range n / 2 {
		size := (i + 1) * 8
		for j, place := range []string{"stack", "heap"} {
			name := fmt.Sprintf("Smaug/place=%s/size=%d-2", place, size)
			s.Cases = append(s.Cases, result.Case{Name: name, Side: "go", Time: fig(float64((j + 1) * size))})
		}
		at := fmt.Sprintf("size=%d", size)
		v.Elements = append(v.Elements, result.Element{Label: at, Status: "holds", Figure: fig(2)})
	}
	v.Deciding = &v.Elements[0]
	s.Claims = []result.Claim{{ID: "S1", Prose: "it costs twice as much", Verdicts: []result.Verdict{v}}}
	return &result.Answer{Kind: result.Run, Studies: []result.Study{s}}
}
