package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

// commentLimit is how many characters GitHub takes in a comment.
const commentLimit = 65_536

// stored returns what the tests have of run folders and files of benchmarks.
func stored(t *testing.T) (all []string) {
	t.Helper()
	data := filepath.Join("..", "report", "result", "testdata")
	for _, pattern := range []string{"*/run.json", "files/*.txt", "healthy/samples.txt"} {
		found, err := filepath.Glob(filepath.Join(data, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, f := range found {
			all = append(all, strings.TrimSuffix(f, string(filepath.Separator)+"run.json"))
		}
	}
	return append(all, filepath.Join("..", "exchange", "testdata", "gbench.json"), filepath.Join("..", "exchange", "testdata", "ours.csv"))
}

// drawn returns an answer in a format.
func drawn(t *testing.T, a *result.Answer, format string, style terminal.Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := saidOf([]*result.Answer{a}, format, "").write(&b, format, style); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

// readStored returns the answer of a stored run folder or file.
func readStored(t *testing.T, from string) *result.Answer {
	t.Helper()
	answers, err := readRuns(&App{Stderr: &bytes.Buffer{}}, []string{from}, reportOptions("none", false))
	if err != nil {
		t.Fatal(err)
	}
	return answers[0]
}

// Whatever a stored folder or file holds: a terminal of any width obeys nothing of it and has no line that
// is too wide, colours change nothing but the colour, Markdown is a comment that GitHub takes, the
// same folder gives the same words, and every study and every claim of it is named in all of them.
func TestEverythingStoredIsShown(t *testing.T) {
	for _, from := range stored(t) {
		t.Run(strings.TrimPrefix(filepath.ToSlash(from), "../report/result/testdata/"), func(t *testing.T) {
			a := readStored(t, from)
			all := map[string]string{"md": drawn(t, a, "md", terminal.Style{}), "html": drawn(t, a, "html", terminal.Style{}),
				"text": drawn(t, a, "text", terminal.Style{Long: true})}
			for format, got := range all {
				if again := drawn(t, readStored(t, from), format, terminal.Style{Long: true}); format != "html" && again != got {
					t.Errorf("%s: the same folder gave other words", format)
				}
				for _, s := range a.Studies {
					for _, c := range s.Claims {
						if !strings.Contains(got, c.ID) {
							t.Errorf("%s does not name the claim %s", format, c.ID)
						}
					}
				}
			}
			if n := len([]rune(all["md"])); n > commentLimit {
				t.Errorf("a comment of %d characters", n)
			}
			for _, style := range []terminal.Style{{}, {Width: 100}, {Width: 80}, {Width: 40, Long: true}, {Long: true}} {
				plain := drawn(t, a, "text", style)
				obeysNothing(t, plain, style.Width)
				style.Color = true
				if got := text.StripEscape(drawn(t, a, "text", style)); got != plain {
					t.Errorf("width %d: colour changes the text:\n%s\nwithout:\n%s", style.Width, got, plain)
				}
			}
		})
	}
}

// obeysNothing checks that a terminal of a width takes every character for text and has room for every line;
// a word that leaves no room for a second one may stand over.
func obeysNothing(t *testing.T, s string, width int) {
	t.Helper()
	for _, line := range strings.Split(s, "\n") {
		long := false
		for _, word := range strings.Fields(line) {
			long = long || text.StringWidth(word) > width/2
		}
		if w := text.StringWidth(line); width > 0 && w > width && !long {
			t.Errorf("width %d: a line of %d columns: %s", width, w, line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%q holds %U", line, r)
			}
		}
	}
}

// Names from outside do nothing in any format, whether alone or compared.
func TestHostileNamesAreShown(t *testing.T) {
	for i, hostile := range testkit.Hostiles {
		name := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsPrint(r) { // nothing of this can stand in a name of a benchmark
				return '_'
			}
			return r
		}, hostile)
		file := func(side string, cost int) string {
			var b strings.Builder
			fmt.Fprintf(&b, "pkg: %s\n", name)
			for n := range 8 {
				fmt.Fprintf(&b, "BenchmarkX/%s-2 100 %d ns/op\n", name, cost+n)
			}
			path := filepath.Join(t.TempDir(), fmt.Sprintf("%s%d.txt", side, i))
			if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			return path
		}
		answers := []*result.Answer{readStored(t, file("old", 100)), readStored(t, file("new", 200))}
		for _, some := range [][]*result.Answer{answers[:1], answers} {
			var md, long bytes.Buffer
			if err := saidOf(some, "md", "").write(&md, "md", terminal.Style{}); err != nil {
				t.Fatal(err)
			}
			for _, active := range []string{"<script", "](http", "@evil", "<img", "![", "javascript:"} {
				if strings.Contains(strings.ToLower(md.String()), active) {
					t.Errorf("%q: Markdown holds %s", hostile, active)
				}
			}
			if err := saidOf(some, "text", "").write(&long, "text", terminal.Style{Width: 60, Long: true}); err != nil {
				t.Fatal(err)
			}
			obeysNothing(t, long.String(), 60)
		}
	}
}

// What has no case in common is not compared, and said to be so nowhere as a change; what is named alike is.
func TestOnlyWhatIsSharedIsCompared(t *testing.T) {
	of := func(name, pkg string, cost int) *result.Answer {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(pkg+strings.Repeat(fmt.Sprintf("BenchmarkX-2 100 %d ns/op\n", cost), 8)), 0o666); err != nil {
			t.Fatal(err)
		}
		return readStored(t, path)
	}
	for _, c := range []struct {
		old, new string
		compared bool
	}{{"pkg: p\n", "pkg: q\n", false}, {"", "", true}, {"pkg: p\n", "pkg: p\n", true}} {
		var b bytes.Buffer
		err := saidOf([]*result.Answer{of("a", c.old, 100), of("b", c.new, 200)}, "text", "").write(&b, "text", terminal.Style{Long: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "b against a"); got != c.compared {
			t.Errorf("%q beside %q: compared %v; it says\n%s", c.old, c.new, got, b.String())
		}
	}
}

// Ten thousand cases: the terminal lists all that it is asked for, a comment says how many it has no room
// for, the page stays one that a browser opens.
func TestManyCasesAreShown(t *testing.T) {
	var b strings.Builder
	b.WriteString("pkg: p\n")
	const cases = 10_000
	for i := range cases {
		fmt.Fprintf(&b, "BenchmarkCase/with_a_name_of_some_length/i=%d-8 100 %d ns/op\n", i, 1000+i)
	}
	path := filepath.Join(t.TempDir(), "many.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	a := readStored(t, path)
	if got := drawn(t, a, "text", terminal.Style{Width: 100, Long: true}); strings.Count(got, "i=") < cases {
		t.Errorf("the terminal lists %d of %d cases", strings.Count(got, "i="), cases)
	}
	if md := drawn(t, a, "md", terminal.Style{}); len([]rune(md)) > commentLimit || strings.Count(md, "i=") < 300 ||
		!strings.Contains(md, "left out") {
		t.Errorf("a comment of %d characters with %d cases", len([]rune(md)), strings.Count(md, "i="))
	}
	if page := drawn(t, a, "html", terminal.Style{}); len(page) > 20<<20 {
		t.Errorf("a page of %d MiB", len(page)>>20)
	}
}
