// Package parallel measures what many goroutines at once make of the costs that
// study/stackheap and study/arena measure on one: a value handed over on the
// stack or the heap, and many small objects from the heap, a pool, a slab or an
// arena.
//
// "Go Memory Benchmarks, Stack vs Heap: Bilbo & Smaug" measured one goroutine and
// warns that many may behave differently. What is measured, and what is easy to
// get wrong, is in docs/studies/parallel.md.
//
// Everything here also runs without memcost, with Go 1.18 and later; -cpu sets
// GOMAXPROCS. Without the experiment the arena cases are skipped:
//
//	GOEXPERIMENT=arenas go test -bench=. -benchmem -cpu=1,2 ./study/parallel
//
//memcost:go 1.18
//memcost:build GOEXPERIMENT=arenas
package parallel

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// work does one case's operation ops times. It first grows its stack and makes
// all that outlives the loop, then calls start, once; what follows is counted.
// Several goroutines call one work at the same time: nothing that it writes is
// shared between them. What it returns keeps its loop from being optimised away.
type work func(ops int, start func()) int

// A slot is where one goroutine writes its result. It has a pair of cache lines to
// itself (processors fetch lines of 64 bytes in pairs; Apple's have 128 bytes): no
// goroutine waits for a line that another writes to.
type slot struct {
	ops, sum int
	_        [128 - 16]byte
}

// together lets g goroutines do n operations, n/g each and the first n%g one
// more. All of them get ready, then start at the same time. The time is from
// there until the last is done.
//
// started is called between getting ready and starting.
func together(g, n int, w work, started func()) (time.Duration, []slot) {
	slots := make([]slot, g)
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	ready.Add(g)
	done.Add(g)
	for i := range slots {
		s := &slots[i]
		s.ops = n / g
		if i < n%g {
			s.ops++
		}
		go func() {
			defer done.Done()
			s.sum = w(s.ops, func() {
				ready.Done()
				<-gate
			})
		}()
	}
	ready.Wait()
	started()
	begin := time.Now()
	close(gate)
	done.Wait()
	return time.Since(begin), slots
}

// counts returns the numbers of goroutines for a number of cores: 1, 2, 4 … up to all of
// them, and twice as many.
func counts(cores int) []int {
	var list []int
	for g := 1; g < cores; g *= 2 {
		list = append(list, g)
	}
	return append(list, cores, 2*cores)
}

// coresNow returns how many goroutines can run at the same moment: GOMAXPROCS, but no
// more than there are processors for this process.
func coresNow() int {
	n, procs := runtime.NumCPU(), runtime.GOMAXPROCS(0)
	if n < procs {
		return n
	}
	return procs
}

// load returns the number of goroutines relative to the cores: one that has them alone,
// fewer than cores, as many, or more (over: they share the cores, and the measurement
// includes scheduling). So a case has the same name with every GOMAXPROCS and on every
// machine, and GOMAXPROCS at its end distinguishes them: there are 2×GOMAXPROCS
// goroutines in load=over-2.
func load(g, cores int) string {
	switch {
	case g == cores:
		return "full"
	case g > cores:
		return "over"
	case g == 1:
		return "alone"
	}
	return fmt.Sprintf("under%d", g)
}

// A benchCase is one operation. Its name gets the load.
type benchCase struct {
	name string
	work work // nil if it needs arenas and they are not built in
	// control shares nothing between goroutines: it becomes slower with more of them
	// only because of the machine. It is nil for a control itself.
	control work
}

// noArena is the reason why the arena cases are skipped.
const noArena = "no arenas in this build: they need GOEXPERIMENT=arenas when it is built (Go 1.20 and later)"

// runCases measures each case with each number of goroutines. The loops are b.N
// loops, not b.RunParallel: that hands operations out in batches by an atomic
// counter, which all goroutines write to, and has no fixed share of work.
func runCases(b *testing.B, cases []benchCase, measure func(b *testing.B, g int, c benchCase)) {
	cores := coresNow()
	for _, c := range cases {
		c := c
		if c.work == nil {
			b.Run(c.name, func(b *testing.B) { b.Skip(noArena) })
			continue
		}
		for _, g := range counts(cores) {
			g := g
			b.Run(fmt.Sprintf("%s/load=%s", c.name, load(g, cores)), func(b *testing.B) {
				measure(b, g, c)
			})
		}
	}
}

// BenchmarkEmpty is the harness with a loop that does nothing.
//
//memcost:floor
//memcost:full -load:(alone OR full)
//memcost:expect load:full allocs/op == 0
//memcost:claim scales [own] load:full / load:alone ops/s in 0.9..1.1
//memcost:more # A loop runs as fast with all cores busy as with one, within 10%, on this machine and beside what else
//memcost:more it does
func BenchmarkEmpty(b *testing.B) {
	runCases(b, []benchCase{{name: "work=none", work: func(ops int, start func()) int {
		start()
		for i := 0; i < ops; i++ {
		}
		return ops
	}}}, measure)
}
