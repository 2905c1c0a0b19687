package terminal

import (
	"strings"
	"testing"

	"memcost/internal/document"
	"memcost/internal/testkit"
)

func tight(s string) string { return strings.Join(strings.Fields(s), "") }

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
