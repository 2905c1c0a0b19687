package text

import (
	"strings"
	"testing"
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
