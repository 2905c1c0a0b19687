//go:build !(goexperiment.arenas && go1.20)

package arena

// haveArenas reports whether arenas are built in.
const haveArenas = false

// Without the experiment there is no package arena to import: the arena variants
// have no work, and are skipped.

func sliceArenaPublished(int) work               { return nil }
func sliceArena(int) work                        { return nil }
func simpleArenaPublished(int) work              { return nil }
func simpleArena(int) work                       { return nil }
func complexArenaPublished(int) func(n int) work { return func(int) work { return nil } }
func complexArena(int) func(n int) work          { return func(int) work { return nil } }
func arenaRounds() (plain, clone func() int)     { return nil, nil }
