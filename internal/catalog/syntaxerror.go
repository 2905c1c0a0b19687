package catalog

import (
	"fmt"
	"strings"
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

// Nearest returns the candidate that word is probably a misspelling of, or "".
func Nearest(word string, candidates []string) string {
	best, bestDist := "", 3 // more than two edits is another word
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < bestDist && d < len(c)/2+1 {
			best, bestDist = c, d
		}
	}
	return best
}

// editDistance returns the Levenshtein distance, in bytes.
func editDistance(a, b string) int {
	if len(a) > 64 { // far from every known word
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diag
			if a[i] != b[j] {
				next = 1 + min(diag, row[j], row[j+1])
			}
			diag, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

func syntaxError(d Directive, msg, form string) *SyntaxError {
	return &SyntaxError{Pos: d.Pos, Directive: d.String(), Msg: msg, Form: form}
}

// meant returns ": did you mean X?", or "" if no known word is near.
func meant(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
