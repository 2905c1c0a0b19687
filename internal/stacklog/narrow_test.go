package stacklog

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three\n", 0, "one two three\n"},
		{"one two three\n", 13, "one two three\n"},
		{"one two three\nfour\n", 9, "one two\n  three\nfour\n"},
		{"  one two three", 10, "  one two\n    three"},
		{"abcdefghijklmnopqrstuvwxyz", 20, "abcdefghijklmnopqrst\n  uvwxyz"},
		{"", 5, ""},
	} {
		if got := Wrap(c.text, c.width); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// Every width holds every line, and nothing of the figures is lost.
func TestNarrowKeepsAll(t *testing.T) {
	l := readText(t, captured(t, "go1.13.15-array.log"), Options{})
	var whole strings.Builder
	if err := l.Write(&whole, 0); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{16, 40, 80} {
		var narrow strings.Builder
		if err := l.WriteNarrow(&narrow, 0, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(narrow.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
		joined := strings.Join(strings.Fields(narrow.String()), "")
		for _, figure := range []string{"16777216", "main.main", "13growths"} {
			if strings.Contains(strings.Join(strings.Fields(whole.String()), ""), figure) && !strings.Contains(joined, figure) {
				t.Errorf("%d columns: no %s", width, figure)
			}
		}
	}
}
