package exectrace

import "golang.org/x/exp/trace"

// goroutines are those that have not ended, and by groups what all did.
type goroutines struct {
	of      map[trace.GoID]*goroutine
	unnamed int // of them: no stack was seen
	groups  groups
}

// meet is a goroutine that is new, or new to us: then it has been in its state
// since the generation began.
func (gs *goroutines) meet(id trace.GoID, from trace.GoState, c *clock) *goroutine {
	g := &goroutine{sums: &sums{n: 1}, since: c.now}
	if from == trace.GoUndetermined {
		g.since = c.sync
	}
	gs.of[id] = g
	gs.unnamed++
	return g
}

// nameBy names the goroutine that an event is of: one that runs from the beginning of
// the trace to its end changes no state that would have its stack.
func (gs *goroutines) nameBy(e *trace.Event) {
	if g := gs.of[e.Goroutine()]; g != nil && !g.named {
		gs.name(g, e.Stack())
	}
}

// name gives the goroutine the name at the root of a stack of its own.
func (gs *goroutines) name(g *goroutine, s trace.Stack) {
	if s == trace.NoStack {
		return
	}
	name := ""
	for f := range s.Frames() {
		name = f.Func
	}
	if name == "" {
		return
	}
	group := gs.groups.group(name)
	group.merge(g.sums)
	g.sums, g.name, g.named = &group.sums, group.name, true
	gs.unnamed--
}

// forget is told of a goroutine that ended.
func (gs *goroutines) forget(id trace.GoID, g *goroutine) {
	if !g.named {
		gs.unnamed--
		gs.groups.group("").merge(g.sums)
	}
	delete(gs.of, id)
}

// sum sums all goroutines up, also those that have no name and have not ended.
func (gs *goroutines) sum(keep int) (all []Group, program, runtime Group) {
	for _, g := range gs.of {
		if !g.named {
			gs.groups.group("").merge(g.sums)
		}
	}
	return gs.groups.sum(keep)
}

// clone returns a copy, whose goroutines are on the Ps of the other copy that procs
// holds, and for each goroutine the one of the copy.
func (gs *goroutines) clone(procs map[*proc]*proc) (c goroutines, twins map[*goroutine]*goroutine) {
	c = goroutines{make(map[trace.GoID]*goroutine, len(gs.of)), gs.unnamed, gs.groups.clone()}
	twins = make(map[*goroutine]*goroutine, len(gs.of))
	for id, g := range gs.of {
		twin := *g
		twin.p = procs[g.p]
		if g.named {
			twin.sums = &c.groups[g.name].sums
		} else {
			own := g.sums.clone()
			twin.sums = &own
		}
		twins[g], c.of[id] = &twin, &twin
	}
	return c, twins
}
