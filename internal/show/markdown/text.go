package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/document"
)

// longestGiven is how much of a text of others is quoted, in columns, and longest how much of any.
const (
	longestGiven = 300
	longest      = 3000
)

var (
	// blockStart is how a list, or the line under a heading, would begin.
	blockStart = regexp.MustCompile(`^([-+=]|\d{1,9}[.)]( |$))`)
	// figure is text whose brackets are an interval's: nothing that follows them is an address.
	figure = regexp.MustCompile(`^[0-9.e+, –%×-]*\[[0-9.e+-]+, [0-9.e+-]+\][0-9.e+, –%×-]*$`)
)

// zeroWidth keeps the characters on both sides apart, and is not seen.
const zeroWidth = "\u200b"

// plain makes a text one of GitHub's Markdown, in and outside of tables, of at most so many
// columns: no character of it can be markup, break a table's row, or be HTML. A numeric character
// reference is always text (CommonMark 0.31, section 2.5). Spaces at its ends stay, as one.
//
// GitHub looks for @mentions, #references and addresses in the text that it has rendered, where a
// reference does not help: an invisible space parts those.
func plain(s string, most int) string {
	if at := 4 * most; len(s) > at { // the rest would be cut off below, after more work
		for !utf8.RuneStart(s[at]) && at > 0 {
			at--
		}
		s = s[:at]
	}
	s = document.Clean(s)
	if len(s) > most {
		s = pretty.Snip(s, most, "…")
	}
	var b strings.Builder
	if strings.HasPrefix(s, " ") {
		b.WriteByte(' ')
	}
	words := strings.TrimSpace(s)
	for i, r := range words {
		switch {
		case strings.ContainsRune("|`<>&[]*_~\\$", r), i == 0 && blockStart.MatchString(words):
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		case r == '@' || r == '#':
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";" + zeroWidth)
		case r == ':' && strings.HasPrefix(words[i:], "://"),
			r == '.' && i >= 3 && strings.EqualFold(words[i-3:i], "www"):
			b.WriteString(zeroWidth + string(r) + zeroWidth)
		default:
			b.WriteRune(r)
		}
	}
	if strings.HasSuffix(s, " ") && words != "" {
		b.WriteByte(' ')
	}
	return b.String()
}

// name returns a name (of a case, a configuration, a file) or a command as code, as far as it
// holds nothing that would end the code or the table's cell.
func name(s string) string {
	safe := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) ||
			strings.ContainsRune("/=-_.,+%()' :", r)
	}
	if strings.TrimSpace(s) != s || s == "" || len(s) > longestGiven || strings.Contains(s, "://") ||
		strings.ContainsFunc(s, func(r rune) bool { return !safe(r) }) {
		return plain(s, longestGiven)
	}
	return "`" + s + "`"
}

// icons are what GitHub's readers see first.
var icons = map[document.Verdict]string{
	document.Holds: "✅", document.Fails: "❌", document.Undecided: "❓", document.AtBound: "🟰", document.Invalid: "⚠️",
	document.Failed: "⚠️", document.Worse: "🔺", document.Better: "✅",
}

// How texts are set: in prose figures stand out, and in a column of names each is code.
type setting uint8

const (
	prose setting = iota
	figures
	names
)

// text returns a text as Markdown in one line.
func text(t document.Text, as setting) string {
	var b strings.Builder
	for i, s := range t {
		b.WriteString(span(s, as, t[:i]))
	}
	return strings.TrimSpace(b.String())
}

// span returns a span; before are those before it.
func span(s document.Span, as setting, before document.Text) string {
	switch s.Kind {
	case document.Bar:
		return ""
	case document.Break:
		return "<br>"
	case document.Code:
		return name(s.Text)
	case document.Given:
		if as == names || !strings.ContainsAny(s.Text, " \t\n") {
			return name(s.Text)
		}
		return plain(s.Text, longestGiven)
	case document.Number, document.Interval:
		said := s.Text
		if !figure.MatchString(said) {
			said = plain(said, longest)
		}
		if s.Kind == document.Number && as == prose {
			return around("**", said)
		}
		return said
	case document.Strong:
		return around("**", plain(s.Text, longest))
	case document.Warning:
		return "⚠️ " + plain(s.Text, longest)
	case document.Judged:
		return judged(s, before)
	case document.Link:
		if strings.HasPrefix(s.To, "https://") && !strings.ContainsFunc(s.To, unsafeInAddress) {
			return "[" + plain(s.Text, longest) + "](" + s.To + ")"
		}
	}
	return plain(s.Text, longest)
}

// judged returns a verdict: what readers see first, and the word unless it is a glyph alone.
func judged(s document.Span, before document.Text) string {
	icon := icons[s.Verdict]
	said := plain(s.Text, longest)
	last := len(before) - 1
	switch {
	case icon == "":
		return said
	case s.Text == s.Verdict.Mark():
		return icon
	case last >= 0 && before[max(last-1, 0)].Kind == document.Judged || last == 0 && before[0].Kind == document.Judged:
		return said
	}
	return icon + " " + said
}

func unsafeInAddress(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune("()<>[]`\"'\\|*_", r)
}

// around puts marks around words, whose spaces stay outside.
func around(mark, s string) string {
	words := strings.TrimSpace(s)
	if words == "" {
		return s
	}
	at := strings.Index(s, words)
	return s[:at] + mark + words + mark + s[at+len(words):]
}

// fence returns code in a fence that is longer than any row of backquotes in it.
func fence(language string, lines []string) string {
	code := strings.Join(lines, "\n")
	mark := "```"
	for strings.Contains(code, mark) {
		mark += "`"
	}
	return mark + language + "\n" + code + "\n" + mark + "\n"
}
