package cli

import (
	"strings"

	"memcost/internal/catalog"
)

func unknownStudy(name string, studies []*catalog.Study) error {
	var names []string
	for _, s := range studies {
		names = append(names, s.Name)
	}
	hint := "the studies are: " + strings.Join(names, ", ") + "; a package of your own is named by a path, ./..."
	if near := nearest(name, names); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return usage(hint, "unknown study %q", name)
}

// nearest returns the name that differs from s by at most two edits, "" if none.
func nearest(s string, names []string) string {
	best, found := 3, ""
	for _, n := range names {
		if d := edits(strings.ToLower(s), strings.ToLower(n)); d < best {
			best, found = d, n
		}
	}
	return found
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
