package blocks

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/document"
	"memcost/internal/report/result"
	"memcost/internal/show/pagetest"
	"memcost/internal/testkit"
)

// fixtures are the run folders of package result, and which of them share a page.
var fixtures = map[string][]string{
	"healthy": {"healthy"}, "arms": {"arms"}, "troubled": {"troubled"}, "empty": {"empty"}, "progress": {"progress"},
	"busy": {"busy"}, "one busy": {"healthy", "busy"}, "partial": {"partial"},
	"numbers": {"numbers"}, "escapes": {"escapes"}, "both": {"healthy", "arms"},
}

// One page is compared whole, but for the parts that every page has; of the others
// the structure, so that a changed word changes one golden file.
func TestGolden(t *testing.T) {
	testkit.Golden(t, filepath.Join("testdata", "both.golden.html"),
		withoutParts(render(t, fixture(t, "healthy"), fixture(t, "arms"))))
}

// Every page has all of its answers, once, and its elements are nested as they should be.
func TestStructure(t *testing.T) {
	for name, dirs := range fixtures {
		t.Run(name, func(t *testing.T) {
			var answers, again []*result.Answer
			for _, d := range dirs {
				answers, again = append(answers, fixture(t, d)), append(again, fixture(t, d))
			}
			html := render(t, answers...)
			if html != render(t, answers...) {
				t.Error("the same answers gave another page")
			}
			if html != render(t, again...) {
				t.Error("the same folder gave another page")
			}
			complete(t, html, answers)
		})
	}
}

// A page of a busy machine says so before anything else that it says of the machine or of a study.
func TestBusyStandsFirst(t *testing.T) {
	busy, quiet := fixture(t, "busy"), fixture(t, "healthy")
	_, shown := pagetest.Structure(t, render(t, busy))
	first := strings.Index(shown, busy.Busy)
	for _, later := range []string{"The machine", "conclusions", busy.Studies[0].Answer[0].Sentence()} {
		if at := strings.LastIndex(shown, later); first < 0 || at < first {
			t.Errorf("%q stands at %d, and before it, at %d, %q", busy.Busy, first, at, later)
		}
	}
	if page := render(t, quiet); strings.Contains(page, "busy:") || strings.Contains(page, `class="note busy"`) {
		t.Error("a quiet machine is called busy")
	}
}

// complete compares what the page counts with what its answers have. All
// fixtures are of one study.
func complete(t *testing.T, page string, answers []*result.Answer) {
	t.Helper()
	count := map[string]int{`<section class="study`: 1, `<table class="claims wordy">`: 0}
	claims, warnings := map[string]bool{}, 0
	_, shown := pagetest.Structure(t, page)
	has := func(what, text string) {
		if !strings.Contains(shown, text) {
			t.Errorf("the page has no %s: %s", what, text)
		}
	}
	for _, a := range answers {
		s := a.Studies[0]
		count[`<p class="answer">`] += len(s.Answer)
		for _, h := range s.Answer {
			has("answer", document.Clean(h.Sentence()))
		}
		for _, c := range s.Claims {
			claims[c.ID] = true
			has("claim", document.Clean(c.Says()))
		}
		for _, p := range s.Causes(true) {
			has("problem", document.Clean(p.Why))
		}
		for _, c := range s.Cases {
			has("case", document.Clean(c.Name))
			if c.Failed == "" && len(c.Invalid) == 0 {
				has("time", c.Time.String())
			}
		}
		warnings += len(a.Warnings)
	}
	count[`<p class="warning">`] = warnings
	if len(claims) > 0 {
		count[`<table class="claims wordy">`] = 1
	}
	for part, want := range count {
		if got := strings.Count(page, part); got != want {
			t.Errorf("the page has %d of %s, its answers %d", got, part, want)
		}
	}
	_, cases, _ := strings.Cut(page, `<details class="cases"><summary>All `)
	cases, _, _ = strings.Cut(cases, "</details>")
	rows := 0
	for _, a := range answers {
		rows += len(a.Studies[0].Cases)
	}
	if got := strings.Count(cases, `<th scope="row"`); got != rows {
		t.Errorf("the table of cases has %d rows, the answers %d cases", got, rows)
	}
}

// withoutParts is a page without what every page embeds.
func withoutParts(html string) string {
	for _, x := range []string{`(?s)<style>.*?</style>`, `(?s)<script>.*?</script>`, `('sha256-.*?' ?)+`,
		`(?s)<details><summary>Licence.*?</details>`} {
		html = regexp.MustCompile(x).ReplaceAllString(html, "")
	}
	return html
}

// A page is sent by mail: it stays small, however many samples there were.
func TestPageIsSmall(t *testing.T) {
	html := render(t, fiveStudies(t))
	const most = 1_500_000
	t.Logf("five studies: %d bytes", len(html))
	if len(html) > most {
		t.Errorf("the page of five studies has %d bytes, at most %d are wanted", len(html), most)
	}
	if strings.Count(html, "<section class=\"study") != 5 {
		t.Error("the page does not show five studies")
	}
}
