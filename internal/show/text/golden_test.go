package text

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
	"memcost/internal/testkit"
)

// The answers of these tests are read from the run folders and files of package
// result's testdata.
const answersDir = "../../report/result/testdata/"

// readRun returns the answer of a run folder of package result's testdata.
func readRun(t testing.TB, name string) *result.Answer {
	t.Helper()
	a, err := result.Read(filepath.Join(answersDir, name), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// smaug returns the study of the run folders, by its name.
func smaug(t testing.TB) func(name string) *language.Study {
	t.Helper()
	var q plan.Question
	if err := store.ReadQuestion(answersDir+"healthy", &q); err != nil {
		t.Fatal(err)
	}
	return func(name string) *language.Study {
		if name != "smaug" {
			return nil
		}
		st, err := language.Parse("smaug", q.Plan.Suites[0].Directives, q.Plan.Suites[0].Show)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
}

// readFile returns the answer of a file of package result's testdata, or of another package's.
func readFile(t testing.TB, path string) *result.Answer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(answersDir, path))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(answersDir, path)
	a, err := result.ReadFile(name, bytes.NewReader(data), result.Options{Studies: smaug(t)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The text of run folders is what it was before, and fits the terminal.
func TestGolden(t *testing.T) {
	for _, name := range []string{"arms", "busy", "damaged", "empty", "escapes", "healthy", "numbers", "partial",
		"progress", "troubled"} {
		t.Run(name, func(t *testing.T) {
			a := readRun(t, name)
			testkit.Golden(t, "testdata/"+name+".txt", render(t, a, Style{}))
			if again := readRun(t, name); render(t, again, Style{}) != render(t, a, Style{}) {
				t.Error("the same folder gave another text")
			}
			for _, style := range []Style{{}, {Width: 100}, {Width: 40, Long: true}, {Long: true}} {
				safe(t, render(t, a, style), style)
			}
		})
	}
}

// What a busy machine gave is said to be that first, on the terminal and in Markdown, and a ratio of
// different code says "holds" or "fails" nowhere; comparisons of configurations and counts do.
func TestBusyStandsFirst(t *testing.T) {
	a := readRun(t, "busy")
	for what, got := range map[string]string{"terminal": render(t, a, Style{}),
		"narrow":   render(t, a, Style{Width: 80}),
		"markdown": strings.NewReplacer("⚠️ ", "", "**", "").Replace(markdown(t, a))} {
		flat := strings.Join(strings.Fields(got), " ")
		if !strings.HasPrefix(flat, a.Busy) {
			t.Errorf("%s begins with %.80s", what, flat)
		}
		for _, want := range []string{"undecided: the machine was busy", "beside other programs", "holds 1 allocs/op",
			"1 of 7 comparisons changed"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%s has no %q", what, want)
			}
		}
	}
	for _, c := range a.Suites[0].Claims {
		for _, v := range c.Verdicts {
			if counts := c.ID == "S4"; counts != (v.Status == "holds") || v.Busy != (v.Status == "undecided") {
				t.Errorf("%s on %s: %s, busy %v", c.ID, v.Data, v.Status, v.Busy)
			}
		}
	}
	if quiet := render(t, readRun(t, "healthy"), Style{}); strings.Contains(quiet, "busy") {
		t.Error("a quiet machine is called busy")
	}
}

// Wherever a verdict stands, what it does not cover stands with it.
func TestScopeStandsWithTheVerdict(t *testing.T) {
	a := readRun(t, "partial")
	const scope = "holds at 2 of 5 sizes (2: --full, 1: failed)"
	for what, got := range map[string]string{"terminal": render(t, a, Style{}),
		"narrow":   render(t, a, Style{Width: 80}),
		"narrower": render(t, a, Style{Width: 60}), "markdown": markdown(t, a)} {
		flat := strings.ReplaceAll(strings.Join(strings.Fields(got), " "), "‡", "")
		if n, full := strings.Count(flat, "holds"), strings.Count(flat, scope); full == 0 || n != full {
			t.Errorf("%s says holds %d times, and %d times at which sizes:\n%s", what, n, full, got)
		}
	}
	if h := a.Suites[0].Answer[0]; h.Says != scope {
		t.Errorf("the headline: %q", h.Says)
	}
}

func TestFileGolden(t *testing.T) {
	for name, path := range map[string]string{"old": "files/old.txt", "numbers": "files/numbers.txt",
		"damaged": "files/damaged.txt",
		"samples": "healthy/samples.txt", "gbench": "../../../exchange/testdata/gbench.json",
		"csv": "../../../exchange/testdata/ours.csv"} {
		t.Run(name, func(t *testing.T) {
			a := readFile(t, path)
			testkit.Golden(t, "testdata/"+filepath.Join("files", name+".txt"), render(t, a, Style{}))
			for _, style := range []Style{{}, {Width: 100}, {Width: 40, Long: true}} {
				safe(t, render(t, a, style), style)
			}
		})
	}
}

func render(t testing.TB, a *result.Answer, s Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, []*result.Answer{a}, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// safe checks that no line is wider than the style allows and none holds
// anything that a terminal obeys.
func safe(t *testing.T, s string, style Style) {
	t.Helper()
	for _, line := range strings.Split(s, "\n") {
		if w := pretty.StringWidth(line); style.Width > 0 && w > style.Width && !longWord(line, style.Width) {
			t.Errorf("width %d: a line of %d columns: %s", style.Width, w, line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%q holds %U", line, r)
			}
		}
	}
}

// longWord reports whether a word of the line leaves no room for a second one.
func longWord(line string, width int) bool {
	for _, word := range strings.Fields(line) {
		if pretty.StringWidth(word) > width/2 {
			return true
		}
	}
	return false
}

// Colours are used where they are asked for and nowhere else, and change nothing
// but the colour.
func TestColorOnlyWhenAskedFor(t *testing.T) {
	for _, name := range []string{"arms", "troubled", "escapes"} {
		a := readRun(t, name)
		for _, width := range []int{0, 100} {
			without, with := render(t, a, Style{Width: width}), render(t, a, Style{Width: width, Color: true})
			if strings.Contains(without, "\x1b") {
				t.Errorf("%s: escape sequences without being asked for", name)
			}
			if !strings.Contains(with, "\x1b[") {
				t.Errorf("%s: no colour although asked for", name)
			}
			if got := pretty.StripEscape(with); got != without {
				t.Errorf("%s, width %d: colour changes the text:\n%s\nwithout:\n%s", name, width, got, without)
			}
		}
	}
}

// Every case is listed, however many there are.
func TestManyCases(t *testing.T) {
	var b strings.Builder
	b.WriteString("pkg: many\n")
	for i := range 300 {
		fmt.Fprintf(&b, "BenchmarkMany/with_a_long_name=%s/i=%d-2 1000 %d ns/op\n", strings.Repeat("x", 40), i, i+1)
	}
	a, err := result.ReadFile("many", strings.NewReader(b.String()), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(a.Suites[0].Cases); n != 300 {
		t.Fatalf("%d cases", n)
	}
	for _, width := range []int{0, 40, 80, 100} {
		s := render(t, a, Style{Width: width})
		safe(t, s, Style{Width: width})
		if n := strings.Count(s, "i=299-2"); n < 1 {
			t.Errorf("width %d: the last case is not shown", width)
		}
	}
}

// Whatever a file holds, its answer can be written.
func FuzzWrite(f *testing.F) {
	for _, path := range []string{"files/old.txt", "files/numbers.txt", "files/damaged.txt", "healthy/samples.txt"} {
		data, err := os.ReadFile(filepath.Join(answersDir, path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 3000)])
	}
	studies := smaug(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := result.ReadFile("f", bytes.NewReader(data), result.Options{Studies: studies})
		if err != nil {
			return
		}
		render(t, a, Style{Width: 80})
		if err := Markdown(io.Discard, "", []*result.Answer{a, a}); err != nil {
			t.Fatal(err)
		}
	})
}
