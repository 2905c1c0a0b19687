package blocks

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// readRun returns the answer of a run folder of package result's testdata.
func frontRun(t testing.TB, name string) *result.Answer {
	t.Helper()
	a, err := result.Read(filepath.Join("../result/testdata", name), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func drawFront(t testing.TB, r *Report, s terminal.Style) string {
	t.Helper()
	var b bytes.Buffer
	s.Lines, s.Width = Lines, min(cmp.Or(s.Width, Columns), Columns)
	if err := terminal.Write(&b, r.Document(), s); err != nil {
		t.Fatal(err)
	}
	fits(t, b.String(), s)
	return b.String()
}

// fits fails for a line that is wider than the terminal, for too many lines, and for what a
// terminal would take as a command.
func fits(t testing.TB, got string, s terminal.Style) {
	t.Helper()
	width := Columns
	if s.Width > 0 {
		width = min(s.Width, Columns)
	}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) > Lines {
		t.Errorf("%d lines at %d columns:\n%s", len(lines), s.Width, got)
	}
	for _, l := range lines {
		if w := pretty.StringWidthWithoutEscSequences(l); w > width {
			t.Errorf("%d columns, not %d: %q", w, width, l)
		}
		if strings.TrimRight(l, " ") != l {
			t.Errorf("spaces at the end of %q", l)
		}
		for _, r := range l {
			if r != '\x1b' && !unicode.IsPrint(r) || r == '\x1b' && !s.Color {
				t.Errorf("%q in %q", r, l)
			}
		}
	}
}

// The front of all studies, at each width.
func TestFrontGolden(t *testing.T) {
	for _, width := range []int{0, 40, 60, 80, 100, 200} {
		testkit.Golden(t, "testdata/"+fmt.Sprintf("all-%d.txt", width), drawFront(t, &Report{Front: madeFront(), Page: madeFront().Run + "/report.html"},
			terminal.Style{Width: width}))
	}
}
