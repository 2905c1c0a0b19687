package why

import "github.com/google/pprof/profile"

// measured charges what a benchmark allocated.
func (a *analysis) measured(p *Asked, m *Measured) {
	r := a.report
	n := max(float64(m.N), 1)
	b := Benchmark{Package: p.Path, Name: m.Name, N: m.N, Objects: float64(m.Mallocs) / n, Bytes: float64(m.Bytes) / n,
		Time: mean(m.Time)}
	if m.Err != nil {
		b.Failed = m.Err.Error()
	}
	index := len(r.Benchmarks)
	if m.Memory != nil {
		c := &counting{analysis: a, p: p, bench: index, n: n, charged: make([]*gathered, len(m.Memory.Sample))}
		c.count(m.Memory)
		if !a.in.Exact && m.Tiny > 0 {
			c.shareOut(float64(m.Tiny) / n)
		}
		b.Counted, b.Other, b.OtherBytes = c.all.objects, c.other.objects, c.other.bytes
		if m.Mallocs == 0 {
			b.Objects, b.Bytes = c.all.objects, c.all.bytes
		}
		a.counted = append(a.counted, c)
	}
	r.Benchmarks = append(r.Benchmarks, b)
	if len(m.CPU) > 0 {
		a.shares(p, index, m)
	}
}

// counting is the heap profile of one benchmark, as it is charged.
type counting struct {
	*analysis
	p          *Asked
	bench      int
	n          float64
	memory     *profile.Profile
	charged    []*gathered // by sample
	all, other tally
}

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
	for i, s := range p.Sample {
		if len(s.Value) <= max(io, ib) || s.Value[io] <= 0 {
			continue
		}
		c.charged[i] = c.sample(stackOf(s, nil), s.Value[io], s.Value[ib])
	}
}

func (c *counting) sample(s stack, objects, bytes int64) *gathered {
	size := bytes / objects
	x := tally{objects: float64(objects) / c.n, bytes: float64(bytes) / c.n}
	var m match
	if len(s.lines) > 0 {
		m = c.resolver.sample(c.p.Program, s)
	}
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

func (t *tally) add(x tally) {
	t.objects += x.objects
	t.bytes += x.bytes
	t.tiny += x.tiny
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
		j.Unmatched = append(j.Unmatched, Unmatched{Frame: c.files.frame(s.lines[0]), Call: m.target, Objects: objects,
			Bytes: bytes})
	}
}
