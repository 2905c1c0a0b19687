package claim

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/method/series"
)

// Flag is the flag that takes a claim, and the place where its claims stand.
const Flag = "--claim"

// some names a few cases.
func some(cases []*series.Series) string {
	const most = 3
	var names []string
	for _, c := range cases {
		names = append(names, c.Case)
	}
	if names = askedDistinct(names); len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// distinct drops repeated names, and keeps the order.
func askedDistinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
