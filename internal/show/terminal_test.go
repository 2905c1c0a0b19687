package show_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/document"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// render draws a document and checks what holds of every one.
func onTerminal(t testing.TB, d *document.Document, s terminal.Style) string {
	t.Helper()
	var b strings.Builder
	if err := terminal.Write(&b, d, s); err != nil {
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
		if s.Lines > 0 && s.Width > 0 && pretty.StringWidth(line) > s.Width {
			t.Errorf("%d columns: a line of %d: %q", s.Width, pretty.StringWidth(line), line)
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
func TestTerminal(t *testing.T) {
	for _, c := range examples() {
		var b strings.Builder
		for _, s := range []terminal.Style{{}, {Width: 100}, {Width: 40}, {Width: 60, Long: true}, {Width: 80, Lines: 20},
			{Width: 100, Color: true, Lines: 45}} {
			if (c.name == "long" || c.name == "hostile") && s.Lines == 0 {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "--- %+v\n%s", s, strings.ReplaceAll(onTerminal(t, c.document, s), "\x1b", "^"))
		}
		testkit.Golden(t, "testdata/"+c.name+".txt", b.String())
	}
}

// Whatever stands in a document, it is printable, fits, and colour adds nothing to the words.
func TestHostileOnTerminal(t *testing.T) {
	for _, s := range testkit.Hostiles {
		d := hostileDocument(s)
		for _, style := range []terminal.Style{{}, {Width: 16}, {Width: 80, Long: true}, {Width: 60, Lines: 45}, {Width: 8, Lines: 9},
			{Lines: 10}} {
			plain := onTerminal(t, d, style)
			style.Color = true
			if got := onTerminal(t, d, style); escapes.ReplaceAllString(got, "") != plain {
				t.Errorf("%q with colour is another text", s)
			}
		}
	}
}

// Where lines are not counted, no figure is lost at any width, and each part of a table has the
// columns that tell its rows apart.
func TestNarrowKeepsAll(t *testing.T) {
	for _, c := range examples() {
		if c.name == "long" {
			continue
		}
		whole := words(onTerminal(t, c.document, terminal.Style{Long: true}))
		for width := 59; width < 130; width += 7 {
			got := onTerminal(t, c.document, terminal.Style{Width: width, Long: true})
			for _, figure := range []string{"allocs/op", "4.12 µs ±3%", "1.03× [1.02, 1.08]", "12 widgets",
				"geomean", "moved to heap: t", "23.5 GiB"} {
				if strings.Contains(whole, words(figure)) && !strings.Contains(words(got), words(figure)) &&
					!strings.Contains(tight(got), tight(figure)) {
					t.Errorf("%s, %d columns: no %s in\n%s", c.name, width, figure, got)
				}
			}
		}
	}
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }
func tight(s string) string { return strings.Join(strings.Fields(s), "") }

func TestSplitTablesKeepTheirKeys(t *testing.T) {
	for _, c := range examples() {
		if c.name != "wide" {
			continue
		}
		for _, width := range []int{60, 80} {
			parts := strings.Split(onTerminal(t, c.document, terminal.Style{Width: width}), "\n\n")
			if len(parts) < 2 {
				t.Fatalf("%d columns: %d parts", width, len(parts))
			}
			for _, part := range parts {
				if strings.Count(part, "GOGC=off") != 2 || strings.Count(part, "go1.27.4") != 2 {
					t.Errorf("%d columns: whose are the rows of\n%s", width, part)
				}
				for line := range strings.Lines(part) {
					if pretty.StringWidth(strings.TrimSpace(line)) > width {
						t.Errorf("%d columns: %q", width, line)
					}
				}
			}
		}
	}
}

// What gives way is decided by rank: the sentence of the highest rank goes, the one of rank 0 stays.
func TestRank(t *testing.T) {
	for _, c := range examples() {
		if c.name != "long" {
			continue
		}
		for lines := 12; lines < 60; lines += 5 {
			got := onTerminal(t, c.document, terminal.Style{Width: 80, Lines: lines})
			if !strings.Contains(got, "This stays.") || strings.Contains(got, "goes first") {
				t.Errorf("%d lines:\n%s", lines, got)
			}
		}
	}
}

// Whatever the blocks are, they fit.
func TestAnyDocumentFitsTheTerminal(t *testing.T) {
	all := examples()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 16))
		d := &document.Document{}
		for range r.IntN(6) {
			d.Blocks = append(d.Blocks, all[r.IntN(len(all)-2)].document.Blocks...)
		}
		s := terminal.Style{Width: []int{0, 16, 40, 60, 80, 100, 10 + r.IntN(200)}[r.IntN(7)], Lines: r.IntN(50)}
		got := onTerminal(t, d, s)
		if again := onTerminal(t, d, s); again != got {
			t.Errorf("the same document gave another text")
		}
		if t.Failed() {
			t.Fatalf("seed %d, %+v", seed, s)
		}
	}
}
