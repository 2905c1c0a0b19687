package language

import (
	"cmp"
	"slices"
	"strings"
)

// terms returns the parts of a selector between the spaces of its outermost level, all
// of which a case must match; the benchmark it is scoped to is one. A selector with an
// OR on that level is a single term.
func (s Selector) terms() []string {
	if s.plain != nil {
		_, more, _ := strings.Cut(s.text, " ")
		return append(s.plain.Terms(), splitTerms(more)...)
	}
	out := splitTerms(s.text)
	if s.Scope != "" {
		out = append([]string{".name:" + s.Scope}, out...)
	}
	return out
}

func splitTerms(text string) []string {
	var out []string
	l := &lexer{s: text}
	depth, start := 0, -1
	for {
		t := l.next(false)
		switch {
		case t.kind == 0:
			return out
		case depth == 0 && l.text(t) == "OR":
			return []string{strings.TrimSpace(text)}
		case depth == 0 && l.text(t) == "AND":
			continue
		case start < 0:
			start = t.start
		}
		switch t.kind {
		case '(':
			depth++
		case ')':
			depth--
		case 'w', 'q':
			if l.peek(false).kind == ':' {
				l.next(false)
				l.value()
			}
		case '-':
			continue // belongs to what it negates
		}
		if depth <= 0 {
			out = append(out, text[start:l.pos])
			start = -1
		}
	}
}

// both returns a selector of the cases that two selectors choose.
func both(a, b string) string {
	switch {
	case a == "" || a == "*":
		return b
	case b == "" || b == "*":
		return a
	}
	return grouped(a) + " " + grouped(b)
}

// grouped puts parentheses around a selector whose parts must stay together.
func grouped(text string) string {
	if terms := splitTerms(text); len(terms) == 1 && terms[0] == text && strings.Contains(text, " OR ") &&
		text[0] != '(' {
		return "(" + text + ")"
	}
	return text
}

// Sides returns the names of the two sides of a ratio in a sentence: those the study
// gives them; else the values in which they differ, "heap" and "stack".
func (s *Study) Sides(num, den Selector) (a, b string) {
	left, right := num.terms(), den.terms()
	return s.side(left, right), s.side(right, left)
}

// side returns the name of one side: of all names that match it and have a term that the
// other side does not have, the one with the most terms.
func (s *Study) side(terms, other []string) string {
	own := without(terms, other)
	best := naming{}
	for _, n := range s.names {
		if len(without(n.terms, terms)) == 0 && len(without(n.terms, own)) < len(n.terms) &&
			len(n.terms) > len(best.terms) {
			best = n
		}
	}
	if best.words != "" {
		return best.words
	}
	if len(own) == 0 {
		own = terms
	}
	var words []string
	for _, t := range own {
		_, value, found := strings.Cut(t, ":")
		words = append(words, strings.Trim(cmp.Or(value, t), `"`))
		if found && strings.HasPrefix(t, "-") {
			words[len(words)-1] = "not " + words[len(words)-1]
		}
	}
	return strings.Join(words, " ")
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}
