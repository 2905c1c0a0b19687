package join

import (
	"github.com/google/pprof/profile"

	"memcost/internal/sites"
)

// values are the indexes of alloc_objects and alloc_space among a profile's values.
func values(p *profile.Profile) (objects, bytes int) {
	objects, bytes = 0, 1
	for i, t := range p.SampleType {
		switch t.Type {
		case "alloc_objects":
			objects = i
		case "alloc_space":
			bytes = i
		}
	}
	return objects, bytes
}

func (c *counting) count(p *profile.Profile) {
	c.memory = p
	io, ib := values(p)
	shift := c.p.shift(p)
	for i, s := range p.Sample {
		if len(s.Value) <= max(io, ib) || s.Value[io] <= 0 {
			continue
		}
		c.charged[i] = c.sample(stackOf(s, shift, c.main, nil), s.Value[io], s.Value[ib])
	}
}

func (c *counting) sample(s stack, objects, bytes int64) *gathered {
	var m match
	if len(s.lines) > 0 {
		m = c.resolver.sample(c.p.Program, s)
	}
	return c.record(s, m, objects, bytes)
}

// record charges what a stack allocated, whose instruction is explained by m.
func (c *counting) record(s stack, m match, objects, bytes int64) *gathered {
	size := bytes / objects
	x := tally{objects: float64(objects) / c.n, bytes: float64(bytes) / c.n}
	if size == tinyBlock && mayBeTiny(m.target) {
		x.tiny = x.objects
	}
	c.all.add(x)
	if len(s.lines) == 0 {
		c.other.add(x)
		return nil
	}
	g, own := c.charge(c.p, s, m)
	if g == nil {
		c.other.add(x)
		return nil
	}
	if g.tallies[c.bench] == nil {
		g.tallies[c.bench] = &tally{}
	}
	g.tallies[c.bench].add(x)
	g.sizes[size] += float64(objects) / c.n
	if m.target != "" {
		g.targets[m.target] = true
	}
	g.method = g.method || m.method && g.diag >= 0
	if len(g.chain) == 0 && own < s.inLeaf && s.inLeaf > 1 {
		g.chain = m.lines
	}
	c.join(g, s, m, own, objects, bytes)
	if g.via != "" {
		at := leaf{s.lines[0].fn, s.lines[0].file, s.lines[0].pkg, s.lines[0].line, m.target,
			through(s.lines[:own])}
		if g.leaves[at] == nil {
			g.leaves[at] = &tally{}
		}
		g.leaves[at].add(x)
		g.matches[at] = m
	}
	return g
}

// join counts how far a record was explained.
func (c *counting) join(g *gathered, s stack, m match, own int, objects, bytes int64) {
	j := &c.report.Join
	_, says := namedReason(m.target, s.lines[0].fn, s.lines[0].file)
	if m.diag < 0 && says == "" && own > 0 {
		_, says = leafReason(through(s.lines[:own]))
	}
	if own > 0 {
		j.Outside += objects
		j.OutsideSamples++
		if m.diag >= 0 || says != "" {
			j.OutsideExplained += objects
			j.OutsideSamplesExplained++
		} else {
			c.unmatched(s, m, objects, bytes)
		}
		return
	}
	j.Samples++
	j.Objects += objects
	switch {
	case m.diag >= 0:
		j.Matched++
		j.ObjectsMatched += objects
	case says != "":
		j.Named++
		j.ObjectsNamed += objects
	default:
		c.unmatched(s, m, objects, bytes)
	}
}

// unmatched lists a leaf that nothing explains.
func (c *counting) unmatched(s stack, m match, objects, bytes int64) {
	c.report.Join.Unmatched = append(c.report.Join.Unmatched, sites.Unmatched{Frame: c.files.frame(s.lines[0]),
		Call: m.target, Objects: objects, Bytes: bytes})
}
