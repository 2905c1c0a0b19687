package stacklog

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
	if p.pending.len() > 1 {
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
type pending struct {
	sizes [1024]uint64
	head  int
	count int
}

func (q *pending) len() int { return q.count }

// push reports false if it dropped the oldest: its address will never come.
func (q *pending) push(n uint64) bool {
	full := q.count == len(q.sizes)
	if full {
		q.pop()
	}
	q.sizes[(q.head+q.count)%len(q.sizes)] = n
	q.count++
	return !full
}

func (q *pending) pop() (uint64, bool) {
	if q.count == 0 {
		return 0, false
	}
	n := q.sizes[q.head]
	q.head = (q.head + 1) % len(q.sizes)
	q.count--
	return n, true
}
