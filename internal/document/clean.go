package document

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text of others (names, reasons, machine strings, prose) safe to print on one line
// of a terminal: what is not printable, an escape sequence or a change of the writing direction
// among them, is shown as it would stand in Go source; line ends and tabs become spaces.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i]), 16))
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// CleanCode returns a line of code that is safe to print and keeps its indentation.
func CleanCode(s string) string { return Clean(strings.ReplaceAll(s, "\t", "    ")) }

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
