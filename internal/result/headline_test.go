package result

import (
	"strings"
	"testing"

	"memcost/internal/catalog"
)

// headlined is the headline of a study with these claims, where heap/stack is 3 and more
// and decided at two sizes of three.
func headlined(t *testing.T, claims ...string) Headline {
	t.Helper()
	x := runs()["healthy"]
	x.directives = []catalog.Directive{directive("question", "Which?")}
	for _, c := range claims {
		x.directives = append(x.directives, directive("claim", c))
	}
	dir := t.TempDir()
	x.write(t, dir)
	a, err := Read(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Suites[0].Answer) != 1 {
		t.Fatalf("headlines %+v", a.Suites[0].Answer)
	}
	return a.Suites[0].Answer[0]
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
		{"one that stands by itself", "A", []string{"A" + narrow + "the heap is slower", "B" + wide + "and by more than the stack"}},
		{"without the figures of others", "B", []string{"A" + wide + "8 times (published: 7.91)", "B" + narrow + "slower at all"}},
	} {
		if h := headlined(t, tt.claims...); h.Claim != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.why, h.Claim, h.Sentence(), tt.want)
		}
	}
}

// A claim's words may have figures that nothing here took.
func TestHeadlineQuotesTheClaim(t *testing.T) {
	s := headlined(t, "A place:heap size:65536 / place:stack size:65536 > 1 # ours: by copy 0.281 s, by pointer 2.224 s: about 8 times (published: 7.91)").Sentence()
	if !strings.HasSuffix(s, " — holds: “by copy 0.281 s, by pointer 2.224 s: about 8 times”") || !strings.HasPrefix(s, "3.1") {
		t.Error(s)
	}
}
