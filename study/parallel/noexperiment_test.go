//go:build !(goexperiment.arenas && go1.20)

package parallel

// fromArena is nil: without the experiment there is no package arena to import.
var fromArena func() func() int
