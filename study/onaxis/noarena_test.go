//go:build !(goexperiment.arenas && go1.20)

package onaxis

// haveArenas reports whether arenas are built in.
const haveArenas = false

// maxArena is the largest block that can be in an arena.
const maxArena = 0

// chunk is what an arena takes from the system at a time.
const chunk = 8 << 20

// inArena has no blocks: without the experiment there is no package arena to import.
func inArena(int) operation { return nil }
