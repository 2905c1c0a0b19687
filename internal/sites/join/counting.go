package join

import (
	"strings"

	"github.com/google/pprof/profile"

	"memcost/internal/gotool/binary"
	"memcost/internal/sites"
)

func (c *counting) count(p *profile.Profile) {
	c.memory = p
	io, ib := sites.Column(p, "alloc_objects"), sites.Column(p, "alloc_space")
	if io < 0 || ib < 0 { // not said: as the runtime writes them
		io, ib = 0, 1
	}
	shift := c.p.shift(p)
	for i, s := range p.Sample {
		if len(s.Value) <= max(io, ib) || s.Value[io] <= 0 {
			continue
		}
		c.charged[i] = c.sample(stackOf(s, shift, c.main, nil), s.Value[io], s.Value[ib])
	}
}

// countAgain notes what the sites of a benchmark made in a further run of the same code. A site that
// made nothing in the first one is made by chance, and is left out.
func (a *analysis) countAgain(p *Asked, bench int, m *Measured, nth int) {
	io, ib := sites.Column(m.Memory, "alloc_objects"), sites.Column(m.Memory, "alloc_space")
	shift, n := p.shift(m.Memory), max(float64(m.N), 1)
	for _, g := range a.sites {
		if t := g.tallies[bench]; t != nil {
			t.again = append(t.again, sites.Amount{})
		}
	}
	for _, s := range m.Memory.Sample {
		st := stackOf(s, shift, a.main, nil)
		if len(st.lines) == 0 {
			continue
		}
		key, own := placeOf(a, st, a.resolver.sample(p.Program, st))
		if own < 0 {
			continue
		}
		if g := a.sites[key]; g != nil && g.tallies[bench] != nil {
			t := g.tallies[bench]
			more := 1.0 // as many are shared out of these
			if t.objects > t.shared {
				more = t.objects / (t.objects - t.shared)
			}
			t.again[nth].Objects += float64(s.Value[io]) / n * more
			t.again[nth].Bytes += float64(s.Value[ib]) / n * t.bytes / max(t.bytes+t.joined, 1e-9)
		}
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
	c.note(s)
	size := bytes / objects
	x := tally{objects: float64(objects) / c.n, bytes: float64(bytes) / c.n}
	if size == tinyBlock && mayBeTiny(m.target) && !c.large(m) {
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

// charge returns the site of a stack, and whether the stack was charged at all: nothing is where
// no frame is of a package that was asked for.
func (a *analysis) charge(p *Asked, s stack, m match) (g *gathered, own int) {
	key, own := placeOf(a, s, m)
	if own < 0 {
		return nil, own
	}
	return a.site(p, key), own
}

// placeOf returns where the site of a stack is, and which of its frames is of a package that was
// asked for, -1 if none is.
func placeOf(a *analysis, s stack, m match) (key place, own int) {
	own = a.own(s)
	if own < 0 {
		return key, own
	}
	at := s.lines[own]
	key = place{pkg: at.pkg, diag: -1, fn: at.fn, file: at.file, line: at.line, target: m.target}
	if own < s.inLeaf && m.diag >= 0 && a.mine(m.pkg) {
		key = place{pkg: m.pkg, diag: m.diag, boxes: m.boxes}
	} else if own > 0 {
		key.target, key.via = "", s.lines[own-1].fn
	}
	return key, own
}

func (a *analysis) site(p *Asked, key place) *gathered {
	g := a.sites[key]
	if g == nil {
		g = &gathered{place: key, in: p, tallies: map[int]*tally{}, sizes: map[int64]float64{},
			leaves: map[leaf]*tally{}, matches: map[leaf]match{}, targets: map[string]bool{}, cpu: map[int]*cpuShares{}}
		if key.diag >= 0 {
			g.diags = a.packages[key.pkg]
		}
		a.sites[key] = g
	}
	return g
}

// tinyBlock is the size of the blocks that objects of less than 16 bytes without pointers share
// (runtime/malloc.go, maxTinySize, Go 1.13 to 1.27). A heap profile sees the first of a block.
const tinyBlock = 16

// notTiny are functions that make objects of 16 bytes which hold pointers, or are no smaller: of what holds none convTnoptr makes
// a copy (dataWordFuncName in cmd/compile/internal/walk/convert.go).
var notTiny = []string{"runtime.convTstring", "runtime.convTslice", "runtime.mallocgcSmallScan"}

// large reports whether the source shows that what an instruction makes shares no block.
func (a *analysis) large(m match) bool {
	d := a.packages[m.pkg] // none of a stack without a frame
	return d != nil && m.diag >= 0 && !m.boxes && d.sites[m.diag].Large
}

func mayBeTiny(target string) bool {
	if target == "runtime.convT" {
		return false
	}
	for _, f := range notTiny {
		if strings.HasPrefix(target, f) {
			return false
		}
	}
	return true
}

// shareOut adds the objects that joined a block which was open: first to the sites that are
// certain, stand on a line that ran, and opened no block themselves, as often as the line's other
// sites allocate; the rest in proportion to the blocks that each site opened.
func (c *counting) shareOut(joined float64) {
	c.all.objects += joined
	for _, m := range c.mates() {
		objects := min(m.objects, joined)
		if objects <= 0 {
			break
		}
		joined -= objects
		m.site.tallies[c.bench] = &tally{objects: objects, estimated: true}
		m.site.sizes[tinyBlock] += objects
	}
	if c.all.tiny == 0 {
		c.other.objects += joined
		return
	}
	more := joined / c.all.tiny
	grow := func(t *tally) {
		if t != nil && t.tiny > 0 {
			t.objects += t.tiny * more
			t.shared += t.tiny * more
			t.estimated = true
		}
	}
	grow(&c.other)
	for _, g := range c.sites {
		t := g.tallies[c.bench]
		if t == nil || t.tiny == 0 {
			continue
		}
		grow(t)
		g.sizes[tinyBlock] += t.tiny * more
		for _, l := range g.leaves {
			if !l.estimated {
				grow(l)
			}
		}
	}
}

// takeBack takes the bytes back that exact counting added: it gave each object of less than 16 bytes a block of its own, and in
// a run of the program as it is they share blocks. How many bytes that adds is known for the benchmark, and is taken from the
// sites in proportion to such objects.
func (c *counting) takeBack(added float64) {
	if c.all.tiny == 0 || added <= 0 {
		return
	}
	each := min(added/c.all.tiny, tinyBlock)
	less := func(t *tally) {
		if t != nil && t.tiny > 0 {
			t.joined = t.tiny * each
			t.bytes = max(t.bytes-t.joined, 0)
		}
	}
	less(&c.all)
	less(&c.other)
	for _, g := range c.sites {
		t := g.tallies[c.bench]
		if t == nil || t.tiny == 0 {
			continue
		}
		less(t)
		for _, l := range g.leaves {
			less(l)
		}
	}
}

// A mate is a site of which a heap profile has no record, on a line of which it has others.
type mate struct {
	site    *gathered
	objects float64 // what the others make, each
}

// mates returns them in the order of their addresses.
func (c *counting) mates() (out []mate) {
	ran := map[takenAt]float64{}
	for _, g := range c.sites {
		if t := g.tallies[c.bench]; t != nil && g.diag >= 0 && g.diags.sites[g.diag].Certain() {
			at := lineIn(g.pkg, g.diags.sites[g.diag].File, g.diags.sites[g.diag].Line)
			ran[at] = max(ran[at], t.objects)
		}
	}
	seen := map[place]bool{}
	for _, x := range c.inside {
		if x.diag < 0 || c.asked[x.pkg] != c.p || !mayBeTiny(x.target) || c.large(x.match) || !binary.Certain(x.target) {
			continue
		}
		d := &c.packages[x.pkg].sites[x.diag]
		key := place{pkg: x.pkg, diag: x.diag, boxes: x.boxes}
		objects := ran[lineIn(x.pkg, d.File, d.Line)]
		if objects == 0 || !d.Certain() || seen[key] {
			continue
		}
		seen[key] = true
		if g := c.site(c.p, key); g.tallies[c.bench] == nil {
			g.targets[x.target] = true
			if len(g.chain) == 0 && len(x.lines) > 1 {
				g.chain = x.lines
			}
			out = append(out, mate{g, objects})
		}
	}
	return out
}

func lineIn(pkg, file string, line int) takenAt {
	return takenAt{pkg: pkg, lineOf: lineOf{Base(file), line}}
}
