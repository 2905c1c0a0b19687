package stackgrowth

import (
	"fmt"
	"runtime"
	"testing"
)

// afterGC makes each of inFlight goroutines do the same deep call, and runs a collection
// while they wait inside hold.
func afterGC(call func(), hold func(inside func())) work {
	return func(n int, start, stop func()) {
		quietly(func() {
			todo, done := make(chan bool), make(chan struct{}, inFlight)
			waiting := make(chan struct{}, inFlight)
			for i := 0; i < inFlight; i++ {
				go func() {
					more := true
					waiting <- struct{}{}
					wait := func() { more = <-todo }
					for {
						if hold(wait); !more {
							done <- struct{}{}
							return
						}
						call()
						done <- struct{}{}
					}
				}()
			}
			all := func(more bool) {
				for i := 0; i < inFlight; i++ {
					todo <- more
				}
				for i := 0; i < inFlight; i++ {
					<-done
				}
			}
			for i := 0; i < inFlight; i++ {
				<-waiting // as in kept
			}
			for i := 0; i < 2; i++ { // the second as in the loop: after a collection
				all(true)
				runtime.GC()
			}
			start()
			for i := 0; i < n; i++ {
				all(true)
				runtime.GC()
			}
			stop()
			all(false)
		})
	}
}

func shallow(inside func()) { inside() }

// held waits in a frame of more than a quarter of the stack that k doublings lead to,
// and so keeps the collector from halving the stack. The frame holds no pointers and is
// not cleared: it is no more work to scan than shallow's.
func held(k int) func(func()) {
	f := frames[k-1]
	return func(inside func()) { f(false, inside) }
}

func shrinkCases() []benchCase {
	var cases []benchCase
	for _, k := range []int{3, 5, 7} {
		call, size := byCalls(k), smallest<<uint(k)
		cases = append(cases,
			benchCase{fmt.Sprintf("parked=shallow/size=%d", size), afterGC(call, shallow)},
			benchCase{fmt.Sprintf("parked=deep/size=%d", size), afterGC(call, held(k))})
	}
	return cases
}

// BenchmarkShrink is a deep call on each of 64 goroutines and then a collection.
// The collection halves the stack of those that have waited at the top (shallow),
// and the next call doubles it again; of those that have waited with more than a quarter
// in use (deep) it leaves the stack as it is. The difference is the shrinking, and
// the growing that undoes it.
//
// A collection makes a few objects of its own, so that only a bound is expected.
//
//memcost:expect * B/op < size
//memcost:claim D4-costs parked:shallow / parked:deep > 1 for every size
//memcost:more # Collections shrink idle stacks, and the next deep call takes longer for it
func BenchmarkShrink(b *testing.B) { runCases(b, shrinkCases()) }

// among does what cold does beside goroutines that wait in hold, after a
// collection that has seen them.
func among(call func(), hold func(inside func())) work {
	return func(n int, start, stop func()) {
		quietly(func() {
			peers := park(inFlight, hold)
			runtime.GC()
			done := make(chan struct{})
			task := func() {
				call()
				done <- struct{}{}
			}
			go task()
			<-done
			start()
			for i := 0; i < n; i++ {
				go task()
				<-done
			}
			stop()
			peers.leave()
		})
	}
}

func startCases() []benchCase {
	var cases []benchCase
	for k := 0; k <= 4; k += 2 {
		call, size := byCalls(k), smallest<<uint(k)
		cases = append(cases,
			benchCase{fmt.Sprintf("peers=shallow/size=%d", size), among(call, shallow)},
			benchCase{fmt.Sprintf("peers=deep/size=%d", size), among(call, held(7))})
	}
	return cases
}

// BenchmarkStart makes a call on a fresh goroutine, after a collection that has
// found 128 others with little of their stacks in use (shallow), or half of them
// with 95 KiB each (deep): from Go 1.19 on, new stacks then start at 64 KiB, the
// average rounded up to a power of two.
//
//memcost:expect * allocs/op == 0
//memcost:claim start-adapts [own] peers:shallow size:(8192 OR 32768)
//memcost:more / peers:deep size:(8192 OR 32768) > 1 for every size
//memcost:more # A goroutine that needs a large stack starts faster where others needed one, too (Go 1.19)
func BenchmarkStart(b *testing.B) { runCases(b, startCases()) }
