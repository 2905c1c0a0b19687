//go:build goexperiment.arenas && go1.20

package parallel

import "arena"

// fromArena is nil without the experiment.
var fromArena = func() func() int {
	keep := new(keeper)
	return func() int {
		a := arena.NewArena()
		for i := range keep {
			p := arena.New[object](a)
			p.len = i
			keep[i] = p
		}
		sum := keep.leave()
		a.Free()
		return sum
	}
}
