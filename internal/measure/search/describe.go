package search

import (
	"fmt"
	"maps"
	"slices"
)

// describe makes a row of what was found about a site.
func describe(r *Row, s site, found *search, answers map[int64]answer) {
	yes, no := found.bracket()
	r.Value, r.Note = float64(yes), s.note
	at := func(n int64) string {
		a := answers[n]
		return fmt.Sprintf("at %d bytes: %s, and the compiler says %s", n, times(a.allocs), a.words)
	}
	switch {
	case no > s.hi:
		r.How = at(yes)
		r.note("this is a lower bound: no larger size was tried")
	case yes == 0:
		r.How = at(no)
		r.note("it is on the heap at every size that was tried")
	default:
		r.How = at(yes) + "; " + at(no)
	}
	r.How = fmt.Sprintf("%s: %s (%d sizes compiled and run)", s.what, r.How, len(answers))
	if laterYes := found.laterYes(); len(laterYes) > 0 {
		r.note(fmt.Sprintf("there is no single limit: it is on the stack again at %d of the larger sizes, as at %d",
			len(laterYes), laterYes[0]))
	}
	r.note(disagreement(s, answers))
}

// disagreement returns where the compiler's diagnostics differ from what happened; "" if
// nowhere. A missing diagnostic is no disagreement, unless the compiler reports every
// such site that it puts on the heap. Neither is a diagnostic on a site that allocates
// at any size.
func disagreement(s site, answers map[int64]answer) string {
	var wrong []int64
	for _, n := range slices.Sorted(maps.Keys(answers)) {
		a := answers[n]
		spoken := s.silent || a.words.text != "" && s.floor == 0
		if spoken && a.words.heap != (a.allocs > s.floor) {
			wrong = append(wrong, n)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	a := answers[wrong[0]]
	return fmt.Sprintf("the compiler's diagnostics and the count disagree at %d of %d sizes, and the count is used: "+
		"at %d bytes it says %s, and the count is %s",
		len(wrong), len(answers), wrong[0], a.words, times(a.allocs))
}

func times(allocs int) string {
	switch allocs {
	case 0:
		return "no allocation"
	case 1:
		return "1 allocation"
	}
	return fmt.Sprint(allocs, " allocations")
}
