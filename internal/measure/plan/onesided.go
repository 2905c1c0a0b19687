package plan

import (
	"slices"
	"strings"
)

// OnAll returns the cases that all of some arms have, as the first of them found them, and
// the benchmarks that only some have: found holds the cases of each arm. What failed on an arm
// is among the failures, and is not missing there.
func OnAll(p *Plan, suite int, arms []int, found [][]Case) (both []Case, oneSided []OneSided) {
	on := map[string][]int{} // by name
	var names []string       // in the order in which they were found
	for i, cases := range found {
		for _, c := range cases {
			if on[c.Name] == nil {
				names = append(names, c.Name)
			}
			on[c.Name] = append(on[c.Name], arms[i])
		}
	}
	for _, c := range found[0] {
		if len(on[c.Name]) == len(arms) {
			both = append(both, c)
		}
	}
	base := map[string]string{}
	for _, c := range slices.Concat(found...) {
		base[c.Name] = c.Base
	}
	for _, name := range names {
		has := on[name]
		for _, arm := range arms {
			if !slices.Contains(has, arm) && failedOn(p, suite, arm, base[name]) {
				has = append(slices.Clone(has), arm)
			}
		}
		x := OneSided{Suite: p.Suites[suite].Name, Name: base[name]}
		if len(has) == len(arms) {
			continue
		}
		for _, arm := range on[name] {
			x.On = append(x.On, p.Arms[arm].Name)
		}
		if !slices.ContainsFunc(oneSided, func(o OneSided) bool { return o.Name == x.Name }) { // --cpu 1,2
			oneSided = append(oneSided, x)
		}
	}
	return both, oneSided
}

// failedOn reports whether a benchmark, or the one of which it is a part, failed on an arm.
func failedOn(p *Plan, suite, arm int, base string) bool {
	return slices.ContainsFunc(p.Failures, func(f Failure) bool {
		return f.Suite == suite && f.Arm == p.Arms[arm].Name &&
			(f.Name == base || strings.HasPrefix(base, f.Name+"/") || f.Name == p.Suites[suite].Name)
	})
}
