package text

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/figures"
)

// longestText is how much of a text of others is quoted in Markdown, in columns.
const longestText = 300

// blockStart is how a list, or the line under a heading, would begin.
var blockStart = regexp.MustCompile(`^([-+=]|\d{1,9}[.)]( |$))`)

// zeroWidth keeps the characters on both sides apart, and is not seen.
const zeroWidth = "\u200b"

// md makes text of others plain text of GitHub's Markdown, in and outside of
// tables: no character of it can be markup, break a table's row, or be HTML. A
// numeric character reference is always text (CommonMark 0.31, section 2.5).
//
// GitHub looks for @mentions, #references and addresses in the text that it has
// rendered, where a reference does not help: an invisible space parts those.
func md(s string) string {
	if at := 4 * longestText; len(s) > at { // the rest would be cut off below, after more work
		for !utf8.RuneStart(s[at]) && at > 0 {
			at--
		}
		s = s[:at]
	}
	s = pretty.Snip(Clean(s), longestText, "…")
	s = strings.TrimSpace(s)
	var b strings.Builder
	for i, r := range s {
		switch {
		case strings.ContainsRune("|`<>&[]*_~\\$", r), i == 0 && blockStart.MatchString(s):
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		case r == '@' || r == '#':
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";" + zeroWidth)
		case r == ':' && strings.HasPrefix(s[i:], "://"), r == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			b.WriteString(zeroWidth + string(r) + zeroWidth)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mdName returns a name (of a case, an arm, a file) as code, as far as it holds nothing
// that would end the code or the table's cell.
func mdName(s string) string {
	safe := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) ||
			strings.ContainsRune("/=-_.,+%()' ", r)
	}
	if s == "" || strings.TrimSpace(s) != s || strings.ContainsFunc(s, func(r rune) bool {
		return !safe(r)
	}) || len(s) > longestText {
		return md(s)
	}
	return "`" + s + "`"
}

// mdFigure returns a figure with its interval. Its brackets are no link: nothing that
// follows them can be an address.
func mdFigure(f figures.Figure) string {
	switch f.Unit {
	case "", "sec/op", "B/sec", "B/op", "allocs/op":
	default:
		return md(f.InColumn())
	}
	if f.Value != f.Value {
		return md(f.String())
	}
	note := f.Note
	f.Note = ""
	s := f.String()
	if note != "" {
		s += " (" + md(note) + ")"
	}
	return s
}

// icon returns what GitHub's readers see first.
func icon(status string) string {
	switch status {
	case "holds":
		return "✅ "
	case "fails":
		return "❌ "
	case "undecided":
		return "❓ "
	}
	return ""
}
