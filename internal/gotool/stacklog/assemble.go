package stacklog

import (
	"cmp"
	"slices"
)

// assembler puts statements together to events.
type assembler struct {
	*tally
	own       int64 // lines of the log
	damaged   int64
	pending   pending
	call      call // the newstack being read, and the stack it is about
	stack     uint64
	callAt    statement
	calls     calls
	preempts  int64
	exceeds   uint64
	ambiguous int64
	others    int64 // processes
}

// restart forgets the figures so far.
func (p *assembler) restart() {
	p.reset()
	p.own, p.damaged, p.preempts, p.ambiguous, p.exceeds, p.others = 0, 0, 0, 0, 0, 0
}

// statement processes one complete statement, or one line of it.
func (p *assembler) statement(s statement, f *numbers) {
	if !p.off {
		p.own++
	}
	if p.callAt != none && s != p.callAt+1 {
		p.abandonCall()
	}
	switch s {
	case stackalloc:
		p.alloc(f[0])
	case allocated:
		p.allocated(f[0])
	case stackfree:
		p.free(f[0], f[1])
	case refill, release:
		p.cache(s, f[0])
	case clearing:
		p.event(Event{Kind: CacheClear})
	case newstack, morebuf, sched:
		p.newstack(s, f)
	case copystack:
		p.copystack(f)
	case exceeds:
		p.exceeds = f[0]
	case otherProcess:
		p.others++
	case growDone, shrinking: // the copystack beside them says more
	}
}

func (p *assembler) alloc(n uint64) {
	if !validSize(n) || !p.pending.push(n) {
		p.damaged++
	}
}

func (p *assembler) allocated(addr uint64) {
	if len(p.pending) > 1 {
		p.ambiguous++
	}
	n, ok := p.pending.pop()
	if !ok {
		p.damaged++
		return
	}
	p.event(Event{Kind: Alloc, Addr: addr, To: n})
}

func (p *assembler) free(addr, n uint64) {
	if !validSize(n) {
		p.damaged++
		return
	}
	p.calls.take(addr)
	p.event(Event{Kind: Free, Addr: addr, From: n})
}

// maxOrder is the runtime's largest: _NumStackOrders is 4 at most
// (runtime/malloc.go, Go 1.13 to 1.27).
const maxOrder = 3

// cache records a refill or a release. Order 0 is the smallest stack, which is 2 KiB but
// on Windows and Plan 9 (runtime.fixedStack), where it has 4 or 8.
func (p *assembler) cache(s statement, order uint64) {
	if order > maxOrder {
		p.damaged++
		return
	}
	size := uint64(2048) << order
	if s == refill {
		p.event(Event{Kind: CacheRefill, To: size})
	} else {
		p.event(Event{Kind: CacheRelease, From: size})
	}
}

// call is a call of newstack: which stack, and which function made it.
type call struct{ sp, pc, caller uint64 }

func (p *assembler) newstack(s statement, f *numbers) {
	switch {
	case s == newstack:
		p.call, p.stack, p.callAt = call{sp: f[0]}, f[1], newstack
	case p.callAt != s-1:
		p.damaged++
	case s == morebuf:
		p.call.caller, p.callAt = f[0], morebuf
	default:
		p.call.pc, p.callAt = f[0], none
		p.calls.put(p.stack, p.call)
		if !p.off {
			p.preempts++ // until a copystack shows that it was none
		}
	}
}

func (p *assembler) abandonCall() {
	p.callAt = none
	p.damaged++
}

func (p *assembler) copystack(f *numbers) {
	g, lo, sp, hi, newLo, newSP, newHi, size := f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]
	e := Event{G: g, OldAddr: lo, Addr: newLo, From: hi - lo, To: size, Used: hi - sp}
	if !validSize(e.From) || !validSize(e.To) || newHi-newLo != size || newHi-newSP != e.Used || e.Used > e.From {
		p.damaged++
		return
	}
	c, called := p.calls.take(lo)
	switch {
	case e.To < e.From:
		e.Kind = Shrink
	case e.To == e.From:
		e.Kind = Move
	default:
		e.Kind = Grow
	}
	// newstack prints what sp was before the call of morestack: a word less where
	// calls push their return address.
	if called && e.Kind != Shrink && sp-c.sp <= 8 {
		e.PC, e.CallerPC = c.pc, c.caller
		if !p.off && p.preempts > 0 {
			p.preempts--
		}
	}
	p.event(e)
}

// calls holds the latest calls of newstack, by stack: one that a copystack follows is
// followed at once, on the same thread, so that the call of a preempted goroutine may be
// forgotten after some time.
type calls struct{ now, before map[uint64]call }

func (c *calls) put(lo uint64, v call) {
	if c.now == nil || len(c.now) >= 1<<14 {
		c.now, c.before = map[uint64]call{}, c.now
	}
	c.now[lo] = v
}

func (c *calls) take(lo uint64) (call, bool) {
	v, ok := c.now[lo]
	if !ok {
		if v, ok = c.before[lo]; !ok {
			return v, false
		}
		delete(c.before, lo)
	}
	delete(c.now, lo)
	return v, true
}

// pending holds the sizes of allocations whose address has not been read yet. As many
// threads as there are can be between the two lines at the same moment.
type pending []uint64

// mostPending bounds it.
const mostPending = 1024

// push reports false if it dropped the oldest: its address will never come.
func (q *pending) push(n uint64) bool {
	full := len(*q) == mostPending
	if full {
		q.pop()
	}
	*q = append(*q, n)
	return !full
}

func (q *pending) pop() (n uint64, ok bool) {
	if len(*q) == 0 {
		return 0, false
	}
	n, *q = (*q)[0], (*q)[1:]
	return n, true
}

// stacks records where there are stacks, and where there were: two bits for each 2 KiB,
// the smallest stack. So a million stacks of 2 KiB take half a megabyte.
type stacks struct {
	pages     map[uint64]*page // by MiB
	first     uint64           // address
	near, far int64            // allocations within heapSpan of the first, and beyond
	twice     int64            // allocations where there is a stack already
}

// maxPages bounds the memory: 256 GiB of stacks.
const maxPages = 1 << 18

type page struct{ freed, live [8]uint64 }

// at returns the page of an address, and its bit there; nil if there is no room for
// more.
func (s *stacks) at(addr uint64) (p *page, word int, bit uint64) {
	p = s.pages[addr>>20]
	if p == nil && len(s.pages) < maxPages {
		p = new(page)
		s.pages[addr>>20] = p
	}
	return p, int(addr >> 17 & 7), 1 << (addr >> 11 & 63)
}

// alloc records a stack, and reports whether one was freed there before.
func (s *stacks) alloc(addr uint64) (reused bool) {
	if s.near == 0 {
		s.first = addr
	}
	if max(addr, s.first)-min(addr, s.first) > heapSpan {
		s.far++
	} else {
		s.near++
	}
	p, w, bit := s.at(addr)
	if p == nil {
		return false
	}
	if p.live[w]&bit != 0 {
		s.twice++
	}
	reused = p.freed[w]&bit != 0
	p.freed[w] &^= bit
	p.live[w] |= bit
	return reused
}

func (s *stacks) free(addr uint64) {
	if p, w, bit := s.at(addr); p != nil {
		p.freed[w] |= bit
		p.live[w] &^= bit
	}
}

// heapSpan is more than one process has its stacks in: the runtime's heap grows
// upwards from one address (mallocinit in runtime/malloc.go: hints a terabyte
// apart), which is a random one from Go 1.26 on.
const heapSpan = 1 << 40

// several reports whether the stacks are those of more than one process: further apart
// than any heap is large, or at the same address more often than a release was lost in
// between. One in a hundred may be addresses that were misread.
func (s *stacks) several(lost int64) bool {
	few := max(4, (s.near+s.far)/100)
	return s.twice > lost+few || min(s.near, s.far) > few
}

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
