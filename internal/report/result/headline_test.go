package result

import (
	"strings"
	"testing"

	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// headlined returns the headline of a study with these claims, where heap/stack is 3 and more
// and decided at two sizes of three.
func headlined(t *testing.T, claims ...string) Headline {
	t.Helper()
	x := runs()["healthy"]
	x.directives = []language.Directive{directive("question", "Which?")}
	for _, c := range claims {
		x.directives = append(x.directives, directive("claim", c))
	}
	dir := t.TempDir()
	x.write(t, dir)
	a, err := Read(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Studies[0].Answer) != 1 {
		t.Fatalf("headlines %+v", a.Studies[0].Answer)
	}
	return a.Studies[0].Answer[0]
}

func TestHeadlineChoosesTheAnswer(t *testing.T) {
	const (
		wide      = " place:heap / place:stack > 1 for every size # "
		narrow    = " place:heap size:65536 / place:stack size:65536 > 1 # "
		undecided = " place:heap size:65536 / place:stack size:65536 in 3.0761..3.0763 # "
	)
	for _, tt := range []struct {
		why, want string
		claims    []string
	}{
		{"the most places", "B", []string{"A" + narrow + "the heap is slower", "B" + wide + "the stack wins"}},
		{"the study's own", "A", []string{"A" + narrow + "the heap is slower", "B" + wide + "ours: the stack wins"}},
		{"ours where there is no other", "B", []string{"B" + wide + "ours: the stack wins"}},
		{"decided", "B", []string{"A" + undecided + "about three times", "B" + narrow + "slower at all"}},
		{"one that stands by itself", "A", []string{"A" + narrow + "the heap is slower", "B" + wide +
			"and by more than the stack"}},
		{"without the figures of others", "B", []string{"A" + wide + "8 times (published: 7.91)", "B" + narrow +
			"slower at all"}},
	} {
		if h := headlined(t, tt.claims...); h.Claim != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.why, h.Claim, h.Sentence(), tt.want)
		}
	}
}

// A claim's words may have figures that nothing here took.
func TestHeadlineQuotesTheClaim(t *testing.T) {
	s := headlined(t, "A place:heap size:65536 / place:stack size:65536 > 1 # ours: by copy 0.281 s, by pointer "+
		"2.224 s: about 8 times (published: 7.91)").Sentence()
	if !strings.HasSuffix(s, ". Claim A holds: “by copy 0.281 s, by pointer 2.224 s: about 8 times”") ||
		!strings.HasPrefix(s,
			"Heap costs 3.1") || !strings.Contains(s, "] times stack") {
		t.Error(s)
	}
}

// shown returns the headline of a study whose presentation says this.
func shown(t *testing.T, show *language.Show, claims ...string) Headline {
	t.Helper()
	x := runs()["healthy"]
	x.show, x.directives = show, nil
	for _, c := range claims {
		x.directives = append(x.directives, directive("claim", c))
	}
	dir := t.TempDir()
	x.write(t, dir)
	a, err := Read(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Studies[0].Answer[0]
}

// The study says which claim answers, and what the sides are called.
func TestHeadlineAsTheStudySays(t *testing.T) {
	const (
		narrow = " place:heap size:65536 / place:stack size:65536 > 1 # The heap is slower at 64 KiB"
		wide   = " [own] place:heap / place:stack > 1 for every size # The stack is faster at every size"
	)
	names := map[string]string{"place:heap": "the heap", "place:stack": "the stack"}
	h := shown(t, &language.Show{Ask: "Which?", Names: names}, "A"+narrow, "B"+wide)
	if h.Claim != "A" || h.Sides != (figures.Sides{Num: "the heap", Den: "the stack", Unit: "sec/op"}) {
		t.Errorf("%+v: a claim of a publication answers before our own", h)
	}
	if s := h.Sentence(); !strings.HasPrefix(s, "The heap costs 3.1") || !strings.HasSuffix(s,
		" times the stack. Claim A holds: “The heap is slower at 64 KiB”") {
		t.Error(s)
	}
	h = shown(t, &language.Show{Ask: "Which?", Names: names, Answer: []string{"B"}}, "A"+narrow, "B"+wide)
	if s := h.Sentence(); h.Claim != "B" || !strings.Contains(s, " times the stack at 64 KiB and ") ||
		!strings.Contains(s, " times at 1 KiB. Claim B holds: “The stack") {
		t.Errorf("%s: %s", h.Claim, s)
	}
	h = shown(t, &language.Show{Names: names, Tables: []language.View{{Title: "Both", By: "size",
		Columns: []string{"heap/stack = place:heap / place:stack"}}}}, "C place:heap allocs/op == 1")
	if s := h.Sentence(); !strings.HasPrefix(s, "Both: The heap costs ") {
		t.Error(s)
	}
}

// What a claim says of its origin stands beside its words.
func TestClaimSays(t *testing.T) {
	for want, c := range map[string]Claim{
		"It is slower (published: 12 times)": {Prose: "It is slower", Published: "12 times"},
		"It is slower (claim of this study)": {Prose: "It is slower", Own: true},
		"It is slower":                       {Prose: "It is slower", Text: "a:b / a:c > 1"},
		"a:b / a:c > 1":                      {Text: "a:b / a:c > 1"},
	} {
		if got := c.Says(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
