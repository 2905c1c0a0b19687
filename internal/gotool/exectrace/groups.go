package exectrace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// group is all goroutines of a name.
type group struct {
	name string
	sums
}

// groups are all groups by their names.
type groups map[string]*group

// group returns the group of a name, a new one if there is none.
func (gs groups) group(name string) *group {
	s := gs[name]
	if s == nil {
		s = &group{name: strings.Clone(name)}
		gs[s.name] = s
	}
	return s
}

// sum sums goroutines up: all of the program's, all of the runtime's, and
// by start function, so many of these as are to be kept.
func (gs groups) sum(keep int) (all []Group, program, runtime Group) {
	named := slices.SortedFunc(maps.Values(gs), func(a, b *group) int {
		return cmp.Or(-cmp.Compare(a.exec, b.exec), -cmp.Compare(a.n, b.n), cmp.Compare(a.name, b.name))
	})
	var user, system, rest sums
	others := 0
	for i, g := range named {
		sum := &user
		if isSystem(g.name) {
			sum = &system
		}
		sum.merge(&g.sums)
		if i < keep {
			all = append(all, g.sums.asGroup(g.name))
		} else {
			rest.merge(&g.sums)
			others++
		}
	}
	if others > 0 {
		all = append(all, rest.asGroup(fmt.Sprintf("(%d more)", others)))
	}
	program, runtime = user.asGroup("(program)"), system.asGroup("(runtime)")
	program.System, runtime.System = false, true
	return all, program, runtime
}

func (gs groups) clone() groups {
	c := make(groups, len(gs))
	for name, g := range gs {
		c[name] = &group{g.name, g.sums.clone()}
	}
	return c
}
