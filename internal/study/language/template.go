package language

import (
	"fmt"
	"slices"
	"strings"
)

// Placeholders are what stands in braces in a template, with what replaces it: figures of the
// verdict of the claim that the sentence is about.
var Placeholders = map[string]string{
	"n":             "how many places were judged",
	"lo":            "the smallest figure of the claim, with its interval",
	"hi":            "the largest figure of the claim, with its interval",
	"lo.at":         "where the smallest is",
	"hi.at":         "where the largest is",
	"value":         "the figure that decides, with its interval",
	"at":            "where that is",
	"first":         "the first place",
	"last":          "the last place",
	"failing":       "how many places fail",
	"first.failing": "the first place that fails",
	"first.holding": "the first place that holds",
	"from":          "the first place from which on all hold",
	"upto":          "the last place before that",
	"inverse":       "1 over the figure that decides, with its interval",
	"times":         "2 to the power of the exponent that decides: what twice the size takes",
}

// A Template is a text with placeholders in braces.
type Template struct {
	parts []piece
}

// A piece is a text, or a placeholder.
type piece struct {
	text string
	hole bool
}

// Parse reads a template. A brace that is no placeholder's, and an unknown one, are errors.
func ParseTemplate(text string) (t Template, err error) {
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		if strings.Contains(before, "}") {
			return t, fmt.Errorf(`a "}" stands alone in %q`, before)
		}
		if before != "" {
			t.parts = append(t.parts, piece{text: before})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return t, fmt.Errorf(`"}" is missing after {%s`, rest)
		}
		if _, known := Placeholders[name]; !known {
			return t, fmt.Errorf("there is no placeholder {%s}", name)
		}
		t.parts = append(t.parts, piece{name, true})
		text = after
	}
	return t, nil
}

// Holes returns the placeholders of a template, each once.
func (t Template) Holes() []string {
	var out []string
	for _, p := range t.parts {
		if p.hole && !slices.Contains(out, p.text) {
			out = append(out, p.text)
		}
	}
	return out
}

// Fill puts figures in the place of placeholders. It returns false where one of them has
// nothing to stand for.
func (t Template) Fill(value func(placeholder string) (Sentence, bool)) (Sentence, bool) {
	var out Sentence
	for _, p := range t.parts {
		if !p.hole {
			out = append(out, Part{Text: p.text})
			continue
		}
		v, ok := value(p.text)
		if !ok {
			return nil, false
		}
		out = append(out, v...)
	}
	return out, len(out) > 0
}
