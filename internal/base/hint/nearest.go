package hint

import "strings"

// Nearest returns the candidate that word is probably a misspelling of, or "".
func Nearest(word string, candidates []string) string {
	best, bestDist := "", 3 // more than two edits is another word
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < bestDist && 3*d <= 2*len(c) {
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

// Meant returns advice with the candidate before it that word is probably a misspelling of, if
// there is one.
func Meant(word string, candidates []string, advice string) string {
	if near := Nearest(word, candidates); near != "" {
		return strings.TrimSpace("did you mean " + near + "? " + advice)
	}
	return advice
}

// Question returns ": did you mean X?" with the candidate that word is probably a misspelling of, or
// "", for the end of a message.
func Question(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
