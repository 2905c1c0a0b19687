package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBreakLines(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 13, "one two three"},
		{"one two three", 9, "one two\nthree"},
		{"  one two three", 10, "  one two\n  three"},
		{"abcdefghijklmnopqrstuvwxyz", 20, "abcdefghijklmnopqrst\nuvwxyz"},
		{"a/path/to/some/file b", 12, "a/path/to/\nsome/file b"},
		{"世界世界", 5, "世界\n世界"},
		{"", 5, ""},
	} {
		if got := breaker(c.width)(c.text); got != c.want {
			t.Errorf("breaker(%d)(%q) = %q, want %q", c.width, c.text, got, c.want)
		}
	}
}

func TestSay(t *testing.T) {
	for width, want := range map[int]string{0: "one two three\n", 13: "one two three\n", 9: "one two\n  three\n"} {
		var b strings.Builder
		p := &printer{w: &b, Style: Style{Width: width}}
		if p.say("%s", "one two three"); b.String() != want {
			t.Errorf("%d columns: %q, want %q", width, b.String(), want)
		}
	}
}

// Every width holds every line, and nothing of the figures is lost.
func TestNarrowKeepsAll(t *testing.T) {
	l := readLog(t, "go1.13.15-array.log")
	var whole strings.Builder
	writeStackLog(&printer{w: &whole, Style: Style{Long: true}}, l)
	for _, width := range []int{16, 40, 80} {
		var narrow strings.Builder
		writeStackLog(&printer{w: &narrow, Style: Style{Long: true, Width: width}}, l)
		for line := range strings.Lines(narrow.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
		joined := strings.Join(strings.Fields(narrow.String()), "")
		for _, figure := range []string{"16777216", "main.main", "13growths"} {
			if strings.Contains(strings.Join(strings.Fields(whole.String()), ""), figure) &&
				!strings.Contains(joined, figure) {
				t.Errorf("%d columns: no %s", width, figure)
			}
		}
	}
}
