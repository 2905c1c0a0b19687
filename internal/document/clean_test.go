package document

import (
	"testing"
	"unicode"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":         "plain",
		"Größe 世界 ×":    "Größe 世界 ×",
		"\x1b[31mred":   `\x1b[31mred`,
		"a\nb\tc\r":     "a b c ",
		"\u009b2J":      `\u009b2J`,
		"\u202eabc":     `\u202eabc`,
		"bad \xff utf8": `bad \xff utf8`,
		"\x00\x7f":      `\x00\x7f`,
		"it's \uFFFD":   "it's \uFFFD",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Clean(s) {
			if !unicode.IsPrint(r) {
				t.Errorf("%q is left of %q", r, s)
			}
		}
	})
}
