package terminal

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"memcost/internal/document"
	"memcost/internal/document/documenttest"
	"memcost/internal/testkit"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// render draws a document and checks what holds of every one.
func render(t testing.TB, d *document.Document, s Style) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, d, s); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	text := got
	if s.Color {
		text = escapes.ReplaceAllString(got, "")
	}
	n := 0
	for line := range strings.Lines(text) {
		line, n = strings.TrimSuffix(line, "\n"), n+1
		if strings.TrimRight(line, " ") != line {
			t.Errorf("a line ends with a space: %q", line)
		}
		if s.Lines > 0 && s.Width > 0 && columns(line) > s.Width {
			t.Errorf("%d columns: a line of %d: %q", s.Width, columns(line), line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) && r != '\u00a0' {
				t.Errorf("%q is printed in %q", r, line)
			}
		}
	}
	if s.Lines > 0 && n > s.Lines {
		t.Errorf("%d lines, not %d:\n%s", n, s.Lines, got)
	}
	return got
}

// Every block looks as it did: in the open, on a narrow and on a wide terminal, at length, and
// where lines are counted.
func TestGolden(t *testing.T) {
	for _, c := range documenttest.Documents() {
		var b strings.Builder
		for _, s := range []Style{{}, {Width: 100}, {Width: 40}, {Width: 60, Long: true}, {Width: 80, Lines: 20},
			{Width: 100, Color: true, Lines: 45}} {
			if (c.Name == "long" || c.Name == "hostile") && s.Lines == 0 {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "--- %+v\n%s", s, strings.ReplaceAll(render(t, c.Document, s), "\x1b", "^"))
		}
		testkit.Golden(t, "testdata/"+c.Name+".txt", b.String())
	}
}

// Whatever stands in a document, it is printable, fits, and colour adds nothing to the words.
func TestHostile(t *testing.T) {
	for _, s := range testkit.Hostiles {
		d := documenttest.HostileBlocks(s)
		for _, style := range []Style{{}, {Width: 16}, {Width: 80, Long: true}, {Width: 60, Lines: 45}, {Width: 8, Lines: 9},
			{Lines: 10}} {
			plain := render(t, d, style)
			style.Color = true
			if got := render(t, d, style); escapes.ReplaceAllString(got, "") != plain {
				t.Errorf("%q with colour is another text", s)
			}
		}
	}
}

// Where lines are not counted, no figure is lost at any width, and each part of a table has the
// columns that tell its rows apart.
func TestNarrowKeepsAll(t *testing.T) {
	for _, c := range documenttest.Documents() {
		if c.Name == "long" {
			continue
		}
		whole := words(render(t, c.Document, Style{Long: true}))
		for width := 59; width < 130; width += 7 {
			got := render(t, c.Document, Style{Width: width, Long: true})
			for _, figure := range []string{"allocs/op", "4.12 µs ±3%", "1.03× [1.02, 1.08]", "12 widgets",
				"geomean", "moved to heap: t", "23.5 GiB"} {
				if strings.Contains(whole, words(figure)) && !strings.Contains(words(got), words(figure)) &&
					!strings.Contains(tight(got), tight(figure)) {
					t.Errorf("%s, %d columns: no %s in\n%s", c.Name, width, figure, got)
				}
			}
		}
	}
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }
func tight(s string) string { return strings.Join(strings.Fields(s), "") }

func TestSplitTablesKeepTheirKeys(t *testing.T) {
	for _, c := range documenttest.Documents() {
		if c.Name != "wide" {
			continue
		}
		for _, width := range []int{60, 80} {
			parts := strings.Split(render(t, c.Document, Style{Width: width}), "\n\n")
			if len(parts) < 2 {
				t.Fatalf("%d columns: %d parts", width, len(parts))
			}
			for _, part := range parts {
				if strings.Count(part, "GOGC=off") != 2 || strings.Count(part, "go1.27.4") != 2 {
					t.Errorf("%d columns: whose are the rows of\n%s", width, part)
				}
				for line := range strings.Lines(part) {
					if columns(strings.TrimSpace(line))+gap > width {
						t.Errorf("%d columns: %q", width, line)
					}
				}
			}
		}
	}
}

// What gives way is decided by rank: the sentence of the highest rank goes, the one of rank 0 stays.
func TestRank(t *testing.T) {
	for _, c := range documenttest.Documents() {
		if c.Name != "long" {
			continue
		}
		for lines := 12; lines < 60; lines += 5 {
			got := render(t, c.Document, Style{Width: 80, Lines: lines})
			if !strings.Contains(got, "This stays.") || strings.Contains(got, "goes first") {
				t.Errorf("%d lines:\n%s", lines, got)
			}
		}
	}
}

func TestWrapped(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		words long
		want  string
	}{
		{"one two three", 13, broken, "one two three"},
		{"one two three", 9, broken, "one two|three"},
		{"abcdefghijklmnopqrstuvwxyz", 20, broken, "abcdefghijklmnopqrst|uvwxyz"},
		{"a/path/to/some/file b", 12, broken, "a/path/to/|some/file b"},
		{"世界世界", 5, broken, "世界|世界"},
		{"see a/path/to/some/file", 12, whole, "see|a/path/to/some/file"},
		{"see a/path/to/some/file", 12, shorn, "see|a/path/to/s…"},
		{"", 5, broken, ""},
	} {
		var got []string
		for _, l := range painted(0, c.text).wrapped(c.width, 0, c.words) {
			got = append(got, l.text(false))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func FuzzWrapped(f *testing.F) {
	for _, s := range testkit.Hostiles {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = min(max(width, 2), 200)
		l := painted(0, document.Clean(s))
		all := ""
		for _, part := range l.wrapped(width, 0, broken) {
			if part.width() > width {
				t.Errorf("%q is wider than %d", part.text(false), width)
			}
			all += part.words()
		}
		if tight(all) != tight(document.Clean(s)) {
			t.Errorf("%q became %q", s, all)
		}
	})
}

// Whatever the blocks are, they fit.
func TestAnyDocumentFits(t *testing.T) {
	all := documenttest.Documents()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 16))
		d := &document.Document{}
		for range r.IntN(6) {
			d.Blocks = append(d.Blocks, all[r.IntN(len(all)-2)].Document.Blocks...)
		}
		s := Style{Width: []int{0, 16, 40, 60, 80, 100, 10 + r.IntN(200)}[r.IntN(7)], Lines: r.IntN(50)}
		got := render(t, d, s)
		if again := render(t, d, s); again != got {
			t.Errorf("the same document gave another text")
		}
		if t.Failed() {
			t.Fatalf("seed %d, %+v", seed, s)
		}
	}
}
