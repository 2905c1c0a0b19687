package why

import "strings"

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

// shareOut adds the objects that joined a block which was open, in proportion to the blocks that
// each site opened.
func (c *counting) shareOut(joined float64) {
	c.all.objects += joined
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
