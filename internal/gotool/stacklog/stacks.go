package stacklog

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
