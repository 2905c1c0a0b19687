// Package stackgrowth measures what it costs that goroutine stacks start small
// and grow: the first deep call on a fresh goroutine, a goroutine for each task
// against one that is kept, the collector's halving of stacks that are hardly
// used, and what the adaptive start size of Go 1.19 saves.
//
// It re-tests, in time, the growth part of "arrays and slices on the goroutine
// stack", published with Go 1.13.8 on amd64, which read the runtime's own log.
// What is measured, and what is easy to get wrong, is in docs/studies/stackgrowth.md.
//
// Everything here also runs without memcost, with Go 1.13 and later:
//
//	go test -bench=. -benchmem ./study/stackgrowth
//
//memcost:go 1.13
package stackgrowth

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// smallest is the stack that a goroutine starts with (runtime._StackMin, 2 KiB
// since Go 1.4; TestDoublings checks it).
const smallest = 2 << 10

// work does one case's operation n times. It first makes all that outlives the
// loop, then calls start, once, and stop after the last operation; what lies
// between is counted.
type work func(n int, start, stop func())

// measure times b.N operations. The loops are b.N loops, not b.Loop, which does
// not exist before Go 1.24.
func measure(b *testing.B, w work) {
	b.ReportAllocs()
	w(b.N, b.ResetTimer, b.StopTimer)
}

// quietly calls f with one P, so that handing a task to another goroutine never
// wakes another thread (microseconds, and at the mercy of the machine's load), and
// without the collector, which would shrink stacks in the timed part.
//
// Go 1.19 and later start stacks at the average of what the last collection found
// in use. quietly makes that the smallest size, as it is before: it collects while
// many goroutines with shallow stacks exist.
func quietly(f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	crowd := park(64, func(wait func()) { wait() })
	runtime.GC()
	f()
	crowd.leave()
}

// crowd controls goroutines that wait until they may end.
type crowd struct{ leaving, left chan struct{} }

// park starts n goroutines, each of which calls f, and returns when all of them
// are in the wait that f calls.
func park(n int, f func(wait func())) crowd {
	c := crowd{make(chan struct{}), make(chan struct{}, n)}
	there := make(chan struct{})
	for i := 0; i < n; i++ {
		go func() {
			f(func() {
				there <- struct{}{}
				<-c.leaving
			})
			c.left <- struct{}{}
		}()
	}
	for i := 0; i < n; i++ {
		<-there
	}
	return c
}

func (c crowd) leave() {
	close(c.leaving)
	for i := 0; i < cap(c.left); i++ {
		<-c.left
	}
}

// benchCase is one benchmark with its key=value parameters.
type benchCase struct {
	name string // "stack=cold/size=4096", the sub-benchmark's name
	work work
}

func runCases(b *testing.B, cases []benchCase) {
	for _, c := range cases {
		c := c
		b.Run(c.name, func(b *testing.B) { measure(b, c.work) })
	}
}

// BenchmarkEmpty is the loop of every case without an operation in it. A case
// as fast as this one has been optimised away.
//
//memcost:floor
//memcost:expect * allocs/op == 0
func BenchmarkEmpty(b *testing.B) {
	measure(b, func(n int, start, stop func()) {
		start()
		for i := 0; i < n; i++ {
		}
	})
}
