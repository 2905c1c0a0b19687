package compare

import (
	"strings"
)

// Of says which allocators are known to take more or less of a figure than the baseline: "tbb and
// scudo take more CPU time than glibc; of jemalloc that is undecided".
func (r *AllocReport) Of(name string, of func(Allocator) Figure) string {
	by := map[string][]string{}
	for i, x := range r.Allocators {
		if how := of(x).how(); i > 0 && x.Invalid == "" {
			by[how] = append(by[how], x.Name)
		}
	}
	var out []string
	for _, how := range []string{less, more} {
		if who := by[how]; len(who) > 0 {
			out = append(out, and(who)+allocVerb(who)+how+" "+name+" than "+r.Own)
		}
	}
	if who := by[same]; len(who) > 0 {
		out = append(out, and(who)+allocVerb(who)+"as much "+name+" as "+r.Own)
	}
	if who := by[undecided]; len(who) > 0 && len(out) > 0 {
		out = append(out, "of "+and(who)+" that is undecided")
	} else if len(who) > 0 {
		out = append(out, "It is undecided whether "+and(who)+allocVerb(who)+"more or less "+name+" than "+r.Own)
	}
	return strings.Join(out, "; ")
}

func allocVerb(who []string) string {
	if len(who) == 1 {
		return " takes "
	}
	return " take "
}

// and joins names: "tbb, scudo and 2 more".
func and(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
