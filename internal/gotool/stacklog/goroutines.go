package stacklog

import (
	"cmp"
	"slices"
)

const (
	maxSizes  = 30      // sizes of a chain that are kept
	maxChains = 1 << 12 // that differ
	maxTop    = 100     // goroutines that copied most
	maxSites  = 1 << 16 // functions, and goroutines in doubt
)

// life is one goroutine that changed its stack: its sizes as log₂.
type life struct {
	g, lo  uint64
	copied int64
	n      uint8
	more   bool
	odd    bool // sizes seem to be missing
	orders [maxSizes]uint8
}

// goroutines follows goroutines from their first stack to their end, at most limit at a
// time; 0 is no limit. A goroutine has ended when its stack is freed other than by its
// own growth.
type goroutines struct {
	limit  int
	all    []life
	unused []int32
	byG    map[uint64]int32
	byAddr map[uint64]int32
	chains map[string]Chain
	top    []Goroutine
	floor  int64 // least Copied of a full top
	least  uint8 // order of the smallest stack that grew
	lost   int64

	// In a log or a trace of which parts are missing, damage is true, and what
	// is odd is not a chain.
	damage   func() bool
	doubts   map[uint64]bool // goroutines that have not changed their stack before
	doubtful int64
}

func newGoroutines(limit int) goroutines {
	return goroutines{limit: limit, least: 63, byG: map[uint64]int32{}, byAddr: map[uint64]int32{},
		chains: map[string]Chain{}}
}

// forget drops what is known of the goroutines so far.
func (l *goroutines) forget() {
	damage := l.damage
	*l = newGoroutines(l.limit)
	l.damage = damage
}

// markIncomplete records that sizes of a goroutine are missing.
func (l *goroutines) markIncomplete(g uint64) {
	if i, ok := l.byG[g]; ok {
		l.all[i].odd = true
	} else if len(l.doubts) < maxSites {
		if l.doubts == nil {
			l.doubts = map[uint64]bool{}
		}
		l.doubts[g] = true
	}
}

func (l *goroutines) change(e Event) {
	i, known := l.byG[e.G]
	from, _ := order(e.From)
	broken := known && l.all[i].lo != e.OldAddr
	if broken {
		l.all[i].odd = true
		l.end(i) // its g serves another goroutine now
		known = false
	}
	if !known {
		if i, known = l.start(e.G, from); !known {
			return
		}
	}
	v := &l.all[i]
	v.odd = v.odd || broken
	delete(l.byAddr, v.lo)
	v.lo = e.Addr
	l.byAddr[v.lo] = i
	v.copied += int64(e.Used)
	if v.n == maxSizes {
		v.more = true
		return
	}
	v.orders[v.n], _ = order(e.To)
	v.n++
}

func (l *goroutines) start(g uint64, from uint8) (int32, bool) {
	var i int32
	switch n := len(l.unused); {
	case n > 0:
		i, l.unused = l.unused[n-1], l.unused[:n-1]
	case l.limit > 0 && len(l.all) >= l.limit:
		l.lost++
		return 0, false
	default:
		i = int32(len(l.all))
		l.all = append(l.all, life{})
	}
	l.all[i] = life{g: g, n: 1}
	l.all[i].orders[0] = from
	l.all[i].odd = l.doubts[g] || from > l.least
	l.least = min(l.least, from)
	delete(l.doubts, g)
	l.byG[g] = i
	return i, true
}

// free records a freed stack.
func (l *goroutines) free(addr uint64) {
	if i, ok := l.byAddr[addr]; ok {
		l.end(i)
	}
}

func (l *goroutines) end(i int32) {
	v := &l.all[i]
	delete(l.byG, v.g)
	delete(l.byAddr, v.lo)
	l.unused = append(l.unused, i)
	if v.odd && l.damage != nil && l.damage() {
		l.doubtful++
		return
	}
	l.keep(v)
	key := string(v.orders[:v.n])
	if v.more {
		key += "+"
	}
	c, ok := l.chains[key]
	if !ok {
		if len(l.chains) >= maxChains {
			l.lost++
			return
		}
		c = Chain{Sizes: v.sizes(), More: v.more}
	}
	c.N++
	l.chains[key] = c
}

// keep keeps the goroutines that copied most.
func (l *goroutines) keep(v *life) {
	if len(l.top) == maxTop && v.copied <= l.floor {
		return
	}
	byCopied := func(a, b Goroutine) int { return cmp.Compare(b.Copied, a.Copied) }
	g := Goroutine{G: v.g, Sizes: v.sizes(), More: v.more, Copied: v.copied}
	at, _ := slices.BinarySearchFunc(l.top, g, byCopied)
	l.top = slices.Insert(l.top, at, g)
	l.top = l.top[:min(len(l.top), maxTop)]
	l.floor = l.top[len(l.top)-1].Copied
}

func (v *life) sizes() []uint64 {
	var out []uint64
	for _, o := range v.orders[:v.n] {
		out = append(out, 1<<o)
	}
	return out
}

// finish closes the chains of goroutines that had not ended at the end of the log.
func (l *goroutines) finish() {
	for i := range l.all {
		if at, ok := l.byG[l.all[i].g]; ok && at == int32(i) {
			l.end(at)
		}
	}
}

// owner returns the goroutine known to have a stack, else the given one.
func (l *goroutines) owner(addr, otherwise uint64) uint64 {
	if i, ok := l.byAddr[addr]; ok {
		return l.all[i].g
	}
	return otherwise
}
