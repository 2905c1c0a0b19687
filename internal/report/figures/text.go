package figures

import (
	"strings"

	"memcost/internal/document"
)

// Text returns the figure with its interval and its note as they are shown.
func (f Figure) Text() document.Text { return f.AsText(f.String()) }

// TimesText returns a ratio as a number with its interval, for a sentence or below a head.
func (f Figure) TimesText() document.Text { return f.AsText(f.Times()) }

// AsText parts the interval, which begins at the first space behind the unit, from the figure that is written so.
func (f Figure) AsText(s string) document.Text {
	if !f.Known() {
		return document.As(document.Given, s)
	}
	at := len(s)
	for _, begin := range []string{" [", " ±", " ("} {
		if i := strings.Index(s, begin); i >= 0 {
			at = min(at, i)
		}
	}
	out := document.Text{{Kind: document.Number, Text: s[:at], Value: float64(f.Value)}}
	if at < len(s) {
		out = append(out, document.Span{Kind: document.Interval, Text: s[at:]})
	}
	return out
}
