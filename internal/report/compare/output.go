package compare

import (
	"fmt"

	"memcost/internal/method/series"
)

// wrongOutput returns, for each side of a program under several allocators, why it does not count:
// it failed in some process, or printed something else than under the program's own allocator.
// What the program prints under that one may vary from process to process: then only how it ends
// is compared.
func (b *builder) wrongOutput(on caseSides) []string {
	out := make([]string, len(on))
	q := b.answer.Question.Comparison
	if q == nil || q.Alloc == nil || on[0] == nil {
		return out
	}
	own, steady := printed(on[0])
	for i, s := range on {
		if i == 0 || s == nil {
			continue
		}
		if n := len(s.Failures); n > 0 {
			out[i] = fmt.Sprintf("it failed in %d of %d processes: %s", n, n+len(s.Rounds), s.Failures[0].Reason)
			continue
		}
		if got, same := printed(s); steady && !q.Alloc.Varies && (!same || got != own) {
			out[i] = "it prints something else than under " + b.Sides[0].Name
		}
	}
	return out
}

// printed returns the hash of what a side printed, and whether it was the same in all processes.
func printed(s *series.Series) (hash float64, same bool) {
	t := s.Totals[series.UnitOutputHash]
	if t == nil || t.N == 0 {
		return 0, false
	}
	return t.Min, t.Min == t.Max
}
