package join

import (
	"strings"

	"memcost/internal/gotool/binary"
)

// tinyBlock is the size of the blocks that objects of less than 16 bytes without pointers share
// (runtime/malloc.go, maxTinySize, Go 1.13 to 1.27). A heap profile sees the first of a block.
const tinyBlock = 16

// notTiny are functions that make objects of 16 bytes which hold pointers, or are no smaller.
var notTiny = []string{"runtime.convTstring", "runtime.convTslice", "runtime.mallocgcSmallScan"}

func mayBeTiny(target string) bool {
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
		if x.diag < 0 || c.asked[x.pkg] != c.p || !mayBeTiny(x.target) || !binary.Certain(x.target) {
			continue
		}
		d := &c.packages[x.pkg].sites[x.diag]
		key := place{pkg: x.pkg, diag: x.diag}
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
	return takenAt{pkg: pkg, lineOf: lineOf{base(file), line}}
}
