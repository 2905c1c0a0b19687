package bisect

import (
	"cmp"
	"go/version"
	"slices"

	"memcost/internal/history"
	"memcost/internal/plan"
	"memcost/internal/revision"
)

// leastDigits is how many digits of a commit name it at least.
const leastDigits = 7

// Commits returns the points of a range of commits, each called by as many digits as tell them
// apart.
func Commits(steps []revision.Step) []history.Point {
	digits := leastDigits
	for seen := map[string]bool{}; digits < 40; digits++ {
		clear(seen)
		for _, s := range steps {
			seen[s.Hash[:min(digits, len(s.Hash))]] = true
		}
		if len(seen) == len(steps) {
			break
		}
	}
	var out []history.Point
	for _, s := range steps {
		out = append(out, history.Point{Name: s.Hash[:min(digits, len(s.Hash))], Merge: s.Merge, Source: &plan.Source{
			Revision: s.Hash, Commit: s.Hash, Subject: s.Subject, Date: s.Date}})
	}
	return out
}

// Releases returns the points of releases of Go, the oldest first.
func Releases(toolchains []string) []history.Point {
	toolchains = slices.Clone(toolchains)
	slices.SortFunc(toolchains, func(a, b string) int { return cmp.Or(version.Compare(a, b), cmp.Compare(a, b)) })
	var out []history.Point
	for _, t := range slices.Compact(toolchains) {
		out = append(out, history.Point{Name: t})
	}
	return out
}
