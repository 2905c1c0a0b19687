//go:build goexperiment.arenas && go1.20

package onaxis

import "arena"

// haveArenas reports whether arenas are built in.
const haveArenas = true

// maxArena is the largest block that can be in an arena: the runtime makes a larger one on the
// heap instead (a quarter of a chunk, userArenaChunkMaxAllocBytes in runtime/arena.go, Go 1.20 to
// 1.27).
const maxArena = 2 << 20

// chunk is what an arena takes from the system at a time, and clears: a sample that has no new one
// in it would leave out what an arena costs most for, so that whole chunks are measured.
const chunk = 8 << 20

// fill uses up the chunks that an arena has at hand when the process begins. Their pages
// are there already, and those of all later chunks are not.
func fill() {
	const chunks = 3
	a := arena.NewArena()
	for used := 0; used < chunks*chunk; used += maxArena {
		touchWords(arena.MakeSlice[uint64](a, maxArena/wordBytes, maxArena/wordBytes))
	}
	a.Free()
}

// inArena makes the blocks of a batch in one arena, and frees it with the last of them.
func inArena(n int) operation {
	fill()
	var a *arena.Arena
	left, blocks := 0, blocksIn(n)
	return func() uint64 {
		if left == 0 {
			a, left = arena.NewArena(), blocks
		}
		loaded := touchWords(arena.MakeSlice[uint64](a, n/wordBytes, n/wordBytes))
		if left--; left == 0 {
			a.Free()
		}
		return loaded
	}
}
