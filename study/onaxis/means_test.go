package onaxis

import "sync"

// newBlock makes a block on the heap, for its caller keeps it longer than it runs.
//
//go:noinline
func newBlock(n int) []uint64 { return make([]uint64, n/wordBytes) }

// onHeap drops each block, which the collector gives back.
func onHeap(n int) operation {
	return func() uint64 { return touchWords(newBlock(n)) }
}

// fromPoolCleared clears what it takes from the pool.
func fromPoolCleared(n int) operation { return clearedFrom(newPool(n)) }

func clearedFrom(pool *sync.Pool) operation {
	return func() uint64 {
		words := pool.Get().(*[]uint64)
		clearWords(*words)
		loaded := touchWords(*words)
		pool.Put(words)
		return loaded
	}
}

// fromPoolAsLeft takes what the operation before has left: the one means whose block is not
// zeroed.
func fromPoolAsLeft(n int) operation { return leftFrom(newPool(n)) }

func leftFrom(pool *sync.Pool) operation {
	return func() uint64 {
		words := pool.Get().(*[]uint64)
		loaded := touchWords(*words)
		pool.Put(words)
		return loaded
	}
}

func newPool(n int) *sync.Pool {
	return &sync.Pool{New: func() any {
		words := make([]uint64, n/wordBytes)
		return &words
	}}
}

// batch is how many bytes of blocks an arena or a slab hands out before all of them are given back
// together; larger blocks are alone in theirs. Each block pays its share.
const batch = 64 << 10

// blocksIn returns how many blocks of n bytes a batch has.
func blocksIn(n int) int {
	if n >= batch {
		return 1
	}
	return batch / n
}

// A slab hands out pieces of a slice by index, and takes all of them back at once, cleared.
type slab struct {
	words []uint64
	used  int
}

// take returns a block of so many words, all zero.
func (s *slab) take(words int) []uint64 {
	if s.used+words > len(s.words) {
		s.reset()
	}
	block := s.words[s.used : s.used+words : s.used+words]
	s.used += words
	return block
}

// reset takes all blocks back.
func (s *slab) reset() {
	clearWords(s.words[:s.used])
	s.used = 0
}

// inSlab hands out the blocks of a batch one after the other.
func inSlab(n int) operation {
	return slabOf(make([]uint64, blocksIn(n)*n/wordBytes), n/wordBytes)
}

func slabOf(memory []uint64, words int) operation {
	s := &slab{words: memory}
	return func() uint64 { return touchWords(s.take(words)) }
}
