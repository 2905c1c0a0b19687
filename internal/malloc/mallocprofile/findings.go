package mallocprofile

import (
	"cmp"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"memcost/internal/base/units"
)

// headline says how the program uses malloc.
func headline(u *Use) string {
	if u.Allocations() == 0 {
		return "It makes no call of malloc."
	}
	from, to := usualSizes(u.Profile)
	says := fmt.Sprintf("It makes %s calls of malloc and free a CPU second, most for blocks of %s to %s",
		million(u.Rate), units.Bytes(from), units.Bytes(to))
	switch calls := mostFreedWithin(u.Profile, 0.9); {
	case calls > 1:
		says += fmt.Sprintf("; 90%% are freed within %s calls.", units.Thousands(int64(calls)))
	case calls == 1:
		says += "; 90% are freed by the next call."
	default:
		_, living, all := ages(u.Profile)
		says += fmt.Sprintf("; %s are never freed.", percent(usePart(living, all)))
	}
	return says
}

// ofTime are the parts that are about the time of calls: with few calls they matter little.
var ofTime = []string{"sizes", "thread cache", "threads", "arenas"}

// findings are the parts of the study, those that apply first.
func findings(u *Use, run Run) []Finding {
	all := []Finding{rate(u, run.Pool), sizes(u), cacheUse(u), mapping(u), trim(u), threads(u), arenas(u, run.Cores),
		prefault(u)}
	for i, f := range all {
		first, size := utf8.DecodeRuneInString(f.Says)
		all[i].Says = string(unicode.ToUpper(first)) + f.Says[size:]
		if f.Applies == Yes && u.Rate < leastRate && slices.Contains(ofTime, f.Part) {
			all[i].Applies = Little
		}
	}
	order := []Applies{Yes, Little, No}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Compare(slices.Index(order, a.Applies), slices.Index(order, b.Applies))
	})
	return all
}
