//go:build goexperiment.arenas && go1.20

package onaxis

import "arena"

// haveArenas reports whether arenas are built in.
const haveArenas = true

// inArena makes the blocks of a batch in one arena, and frees it with the last of them. A larger
// block than 2 MiB cannot be in an arena: the runtime makes it on the heap instead (a quarter of a
// chunk, userArenaChunkMaxAllocBytes in runtime/arena.go, Go 1.20 to 1.27).
func inArena(n int) operation {
	if n > 2<<20 {
		return nil
	}
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
