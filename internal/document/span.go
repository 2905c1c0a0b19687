package document

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
)

// A Text is spans one after the other, as they are read: nothing is put between them.
type Text []Span

// A Span is a piece of a text that is of one kind.
type Span struct {
	Kind    SpanKind
	Text    string
	Short   string  // instead of Text where a table on a terminal has no room for it; "": it is cut
	Verdict Verdict // of a Verdict span, and of another the verdict that colours it
	To      string  // of a Link span: "#" and a block's ID, or an address
	Level   int     // of a Bar span: eighths, from 1 to 8
	Value   float64 // of a Number span, in its unit: the page sorts by it; 0 is unknown
}

// A SpanKind says what a span is.
type SpanKind uint8

const (
	Plain    SpanKind = iota // words of ours
	Strong                   // words that stand out: the answer, a heading
	Faint                    // words that step back
	Number                   // a figure with its unit
	Interval                 // the bounds of a figure
	Judged                   // a verdict's glyph and word, or either
	Given                    // what others wrote: a name, a path, a message
	Code                     // a command, a flag, code
	Link                     // words that lead to a block or an address
	Warning                  // words of a warning
	Bar                      // a bar before a figure, on a terminal alone
	// A Break is a new line; one with words between what stands on both sides is a new line only
	// where there is no room for one line, and in a row that has room for one line what follows is
	// left out.
	Break
)

// Say returns words of ours as a text.
func Say(words ...string) Text { return Text{{Text: strings.Join(words, "")}} }

// As returns a text of one span of a kind; nil for no words.
func As(kind SpanKind, words string) Text {
	if words == "" {
		return nil
	}
	return Text{{Kind: kind, Text: words}}
}

// Quantity returns a value with its unit, as a span.
func Quantity(v float64, unit string) Span {
	return Span{Kind: Number, Text: units.Quantity(v, unit), Value: v}
}

// Sentencef returns words of ours as a sentence of their own.
func Sentencef(format string, args ...any) *Sentence {
	return &Sentence{Text: Say(fmt.Sprintf(format, args...)), Hang: 2}
}

// And returns the text with others behind it.
func (t Text) And(others ...Text) Text {
	out := t[:len(t):len(t)]
	for _, o := range others {
		out = append(out, o...)
	}
	return out
}

// Said returns the text with words of ours behind it.
func (t Text) Said(words ...string) Text { return t.And(Say(words...)) }

// Join returns texts as one, with words between them.
func Join(texts []Text, between string) Text {
	var out Text
	for i, t := range texts {
		if i > 0 {
			out = append(out, Span{Text: between})
		}
		out = append(out, t...)
	}
	return out
}

// String returns the words of the text alone, for JSON, tests and titles.
func (t Text) String() string {
	var b strings.Builder
	for _, s := range t {
		switch s.Kind {
		case Bar:
		case Break:
			b.WriteByte(' ')
		default:
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// Empty reports whether nothing is said.
func (t Text) Empty() bool { return strings.TrimSpace(t.String()) == "" }
