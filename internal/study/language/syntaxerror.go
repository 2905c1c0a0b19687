package language

import (
	"fmt"
	"strings"

	"memcost/internal/base/hint"
)

// A SyntaxError is a mistake of a study's author, with its position.
type SyntaxError struct {
	Pos       Pos
	Directive string // as written: "//memcost:claim C4 place:heap ..."
	Msg       string // what is wrong
	Form      string // the right form, or "" when the message contains it
}

// Error returns "file:line: directive: what is wrong; the right form is: form". A long
// directive is cut: the position leads to the whole.
func (e *SyntaxError) Error() string {
	s := fmt.Sprintf("%s: %s: %s", e.Pos, shorten(e.Directive, 48), e.Msg)
	if e.Form != "" {
		s += "; the right form is: " + e.Form
	}
	return s
}

// shorten cuts s to at most n runes, at a space where there is one.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + " …"
}

// meant returns ": did you mean X?", or "" if no known word is near.
func meant(word string, known []string) string {
	if near := hint.Nearest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}

func syntaxError(d Directive, msg, form string) *SyntaxError {
	return &SyntaxError{Pos: d.Pos, Directive: d.String(), Msg: msg, Form: form}
}
