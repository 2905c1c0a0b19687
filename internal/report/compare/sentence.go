package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
)

// verdict says what is known of an allocator: "less time, more memory", "memory undecided". Time
// stands for CPU and wall time where both have the same verdict.
func (x Allocator) verdict() string {
	var known, undecided []string
	last := ""
	add := func(f Figure, what string) {
		switch how := f.how(); how {
		case less, same, more:
			if how == last {
				known[len(known)-1] += " and " + what
			} else {
				known = append(known, how+" "+what)
			}
			last = how
		case string(Undecided):
			undecided = append(undecided, what)
		}
	}
	if x.CPU.how() == x.Wall.how() {
		add(x.CPU, "time")
	} else {
		add(x.CPU, "CPU time")
		add(x.Wall, "wall time")
	}
	add(x.Memory, "memory")
	if len(undecided) > 0 {
		known = append(known, strings.Join(undecided, " and ")+" undecided")
	}
	return cmp.Or(strings.Join(known, ", "), "not tested: it has no figure")
}

// others are the allocators but the baseline that count.
func (r *AllocReport) others() []Allocator {
	var out []Allocator
	for i, x := range r.Allocators {
		if i > 0 && x.Invalid == "" && x.CPU.Verdict != "" {
			out = append(out, x)
		}
	}
	return out
}

// A spent is one of the two times that an allocator may save.
type spent struct {
	of   func(Allocator) Figure
	name string
}

// sentence returns the answer: the allocator that saves most time, or that none is known to; every
// part of it is a decided verdict.
func (r *AllocReport) sentence() string {
	all := r.others()
	if len(all) == 0 {
		return fmt.Sprintf("Nothing can be said: no allocator beside %s has a figure.", r.Own)
	}
	cpu := spent{func(x Allocator) Figure { return x.CPU }, "CPU time"}
	wall := spent{func(x Allocator) Figure { return x.Wall }, "wall time"}
	if r.Until != "" {
		cpu.name, wall.name = "CPU time as a server", "time of the load"
	}
	for _, t := range []spent{cpu, wall} {
		if best, found := saves(all, t); found {
			return r.better(best, t)
		}
	}
	return r.stay(all)
}

// saves returns the allocator that is known to take the least of a time, if one is known to take
// less than the baseline.
func saves(all []Allocator, t spent) (best Allocator, found bool) {
	for _, x := range all {
		if t.of(x).Less() && (!found || t.of(x).Ratio.Value < t.of(best).Ratio.Value) {
			best, found = x, true
		}
	}
	return best, found
}

// better is the sentence on an allocator that saves time.
func (r *AllocReport) better(x Allocator, t spent) string {
	say := fmt.Sprintf("%s takes %s times the %s of %s", x.Name, t.of(x).Ratio.Brief(), t.name, r.Own)
	switch m := x.Memory; {
	case m.Less() || m.More():
		return say + fmt.Sprintf(" and %s times its memory.", m.Ratio.Brief())
	case m.Decided():
		return say + fmt.Sprintf(" and as much memory, within %s.", units.Share(r.Margin))
	case m.Verdict != "":
		return say + "; whether it takes more memory is undecided."
	}
	return say + "."
}

// stay is the sentence where none is known to save time.
func (r *AllocReport) stay(all []Allocator) string {
	var undecided []string
	for _, x := range all {
		if !x.CPU.Decided() || x.Wall.Verdict != "" && !x.Wall.Decided() {
			undecided = append(undecided, x.Name)
		}
	}
	if len(undecided) > 0 {
		names := strings.Join(undecided[:min(len(undecided), 3)], ", ")
		if more := len(undecided) - 3; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		return fmt.Sprintf("None is known to be faster than %s; of %s that is undecided.%s", r.Own, names,
			r.lessMemory(all))
	}
	say := "none is faster"
	if len(all) == 1 {
		say = all[0].Name + " is not faster"
	}
	if n := count(all, func(x Allocator) bool { return x.Memory.More() }); n == len(all) && n > 1 {
		say += ", all take more memory"
	} else if n == 1 && len(all) == 1 {
		say += ", and takes more memory"
	}
	return fmt.Sprintf("Stay with %s: %s.%s", r.Own, say, r.lessMemory(all))
}

func count(all []Allocator, is func(Allocator) bool) (n int) {
	for _, x := range all {
		if is(x) {
			n++
		}
	}
	return n
}

// lessMemory names the allocator that is known to take the least memory, if one takes less than
// the baseline.
func (r *AllocReport) lessMemory(all []Allocator) string {
	less := slices.DeleteFunc(slices.Clone(all), func(x Allocator) bool { return !x.Memory.Less() })
	if len(less) == 0 {
		return ""
	}
	x := slices.MinFunc(less, func(a, b Allocator) int {
		return cmp.Compare(a.Memory.Ratio.Value, b.Memory.Ratio.Value)
	})
	return fmt.Sprintf(" %s takes %s times its memory.", x.Name, x.Memory.Ratio.Brief())
}
