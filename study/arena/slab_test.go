package arena

// A slab hands out elements of a slice by index, zeroed, and takes all of them
// back at once: what one writes by hand where an arena would do. It keeps its
// memory, and the collector scans all of it while it is reachable.
type slab[T any] struct {
	blocks [][]T
	block  int // in use
	used   int // of that block
}

// slabBlock is the least number of elements of a block.
const slabBlock = 1 << 14

// take returns room for n consecutive elements, as an empty slice of that capacity.
func (s *slab[T]) take(n int) []T {
	for s.block < len(s.blocks) && s.used+n > len(s.blocks[s.block]) {
		s.block, s.used = s.block+1, 0
	}
	if s.block == len(s.blocks) {
		size := slabBlock
		if n > size {
			size = n
		}
		s.blocks = append(s.blocks, make([]T, size))
	}
	t := s.blocks[s.block][s.used : s.used : s.used+n]
	s.used += n
	return t
}

// one hands out one element.
func (s *slab[T]) one() *T { return &s.take(1)[:1][0] }

// reset makes all blocks free and clears them: the next elements are zeroed, as memory
// from the heap and from an arena is, and keep nothing reachable.
func (s *slab[T]) reset() {
	for b := 0; b <= s.block && b < len(s.blocks); b++ {
		items := s.blocks[b]
		if b == s.block {
			items = items[:s.used]
		}
		var zero T
		for i := range items {
			items[i] = zero
		}
	}
	s.block, s.used = 0, 0
}
