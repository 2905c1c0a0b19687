package export

import (
	"testing"
	"unicode/utf16"
)

// Columns in bytes become UTF-16 code units, whatever the line holds.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		line   string
		column int
		expr   string
		want   span
	}{
		{"\tx := &T{}", 7, "&T{}", span{6, 10}},
		{"\tx := &T{} // as", 7, "&T{...}", span{6, 16}},
		{"ü𝛼 := y  ", 11, "y", span{7, 8}}, // 2 and 4 bytes, 1 and 2 units
		{"ü𝛼 := y", 2, "", span{0, 8}},     // in the middle of ü
		{"  x  ", 0, "", span{2, 3}}, {"x", 99, "", span{0, 1}}, {"", 1, "x", span{0, 0}}, {"\xff\xffx", 3, "x",
			span{2, 3}},
	} {
		if got := spanOf(c.line, c.column, c.expr); got != c.want {
			t.Errorf("%q from %d: %v, want %v", c.line, c.column, got, c.want)
		}
	}
}

func FuzzSpan(f *testing.F) {
	f.Add("\tx := &T{}", 7, "&T{}")
	f.Add("ü𝛼\xff", 2, "")
	f.Fuzz(func(t *testing.T, line string, column int, expr string) {
		got := spanOf(line, column, expr)
		if whole := len(utf16.Encode([]rune(line))); got.from < 0 || got.to < got.from || got.to > whole {
			t.Errorf("%q from %d: %v of %d units", line, column, got, whole)
		}
	})
}
