//go:build goexperiment.arenas && go1.20

package arena

import "arena"

// haveArenas reports whether arenas are built in.
const haveArenas = true

// push appends in an arena as the published code does: by growing to twice the length.
func push(a *arena.Arena, s []int, v int) []int {
	if len(s) < cap(s) {
		return append(s, v)
	}
	c := 2 * len(s)
	if c == 0 {
		c = 1
	}
	t := arena.MakeSlice[int](a, len(s)+1, c)
	copy(t, s)
	t[len(s)] = v
	return t
}

// sliceArenaPublished frees its arena after the last operation, in the timed
// part, as a deferred Free does.
func sliceArenaPublished(n int) work {
	return func(ops int, start func()) {
		a := arena.NewArena()
		defer a.Free()
		s := arena.MakeSlice[int](a, 0, n)
		start()
		for x := 0; x < ops; x++ {
			for i := 0; i < n; i++ {
				s = push(a, s, i)
			}
		}
		sink = len(s)
	}
}

func sliceArena(n int) work {
	return repeat(func() int {
		a := arena.NewArena()
		last := fill(nil, n, func(c int) []int { return arena.MakeSlice[int](a, 0, c) })[n-1]
		a.Free()
		return last
	})
}

func simpleArenaPublished(int) work {
	return func(ops int, start func()) {
		a := arena.NewArena()
		defer a.Free()
		start()
		for x := 0; x < ops; x++ {
			_ = arena.New[object](a)
		}
	}
}

func simpleArena(n int) work {
	keep := make(keeper, n)
	return repeat(func() int {
		a := arena.NewArena()
		for i := range keep {
			p := arena.New[object](a)
			p.len = i
			keep[i] = p
		}
		sum := keep.leave()
		a.Free()
		return sum
	})
}

func complexArenaPublished(outer int) func(n int) work {
	return func(n int) work {
		return func(ops int, start func()) {
			a := arena.NewArena()
			defer a.Free()
			start()
			for o := 0; o < outer; o++ {
				p := arena.New[object](a)
				p.len, p.data = n, arena.MakeSlice[int](a, 0, n)
				for x := 0; x < ops; x++ {
					for i := 0; i < n; i++ {
						p.data = push(a, p.data, i)
					}
				}
				sink = len(p.data)
			}
		}
	}
}

func complexArena(outer int) func(n int) work {
	return func(n int) work {
		keep := make(keeper, outer)
		return repeat(func() int {
			a := arena.NewArena()
			for o := range keep {
				p := arena.New[object](a)
				p.len, p.data = n, put(arena.MakeSlice[int](a, 0, n), n)
				keep[o] = p
			}
			sum := keep.leave()
			a.Free()
			return sum
		})
	}
}

// roundArena and roundArenaClone run rounds of the GC program: see roundHeap.
func roundArena() int {
	a := arena.NewArena()
	defer a.Free()
	return len(roundIn(a))
}

func roundArenaClone() int {
	a := arena.NewArena()
	defer a.Free()
	return len(arena.Clone(roundIn(a)))
}

func roundIn(a *arena.Arena) []int {
	p := arena.New[object](a)
	p.len, p.data = roundSize, arena.MakeSlice[int](a, 0, roundSize)
	for i := 0; i < roundSize; i++ {
		p.data = push(a, p.data, i)
	}
	return p.data
}

// arenaRounds returns the rounds of the GC program that need arenas.
func arenaRounds() (plain, clone func() int) { return roundArena, roundArenaClone }
