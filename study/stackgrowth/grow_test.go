package stackgrowth

import (
	"fmt"
	"testing"
)

// byCalls returns a call that takes up need(k) bytes with many frames, byFrame one that
// does with a single frame. Growing copies the part of the stack in use: nearly all of
// it each time with byCalls, and the few hundred bytes above the frame with byFrame.
func byCalls(k int) func() {
	n := steps(need(k))
	return func() { descend(n) }
}

func byFrame(k int) func() {
	f := frames[k]
	if f == nil {
		return nil
	}
	return func() { f(false, nothing) }
}

func nothing() {}

// cold does each operation on a fresh goroutine. The function value is made once:
// a go statement with arguments would allocate one each time, since Go 1.17.
func cold(call func()) work {
	return func(n int, start, stop func()) {
		quietly(func() {
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
		})
	}
}

// warm hands each operation to one goroutine, whose stack stays as the first
// operation left it.
func warm(call func()) work {
	return func(n int, start, stop func()) {
		quietly(func() {
			todo, done := make(chan struct{}), make(chan struct{})
			go func() {
				for range todo {
					call()
					done <- struct{}{}
				}
				close(done)
			}()
			todo <- struct{}{}
			<-done
			start()
			for i := 0; i < n; i++ {
				todo <- struct{}{}
				<-done
			}
			stop()
			close(todo)
			<-done
		})
	}
}

func growCases() []benchCase {
	var cases []benchCase
	for _, by := range []struct {
		name string
		call func(k int) func()
	}{{"calls", byCalls}, {"frame", byFrame}} {
		for k := 0; k <= deepest; k++ {
			call, size := by.call(k), smallest<<uint(k)
			if call == nil {
				continue
			}
			cases = append(cases,
				benchCase{fmt.Sprintf("by=%s/stack=cold/doublings=%d/size=%d", by.name, k, size), cold(call)},
				benchCase{fmt.Sprintf("by=%s/stack=warm/doublings=%d/size=%d", by.name, k, size), warm(call)})
		}
	}
	return cases
}

// BenchmarkGrow makes a call that needs a stack of 2 KiB doubled so many times, on
// a fresh goroutine (cold) and on one that has made it before (warm). Both hand
// over to another goroutine and back; doublings=0 is that alone.
//
//memcost:full doublings:(4 OR 6 OR 8 OR 9)
//memcost:full by:frame doublings:(3 OR 7)
//memcost:expect * allocs/op == 0
//memcost:expect by:frame stays-on-stack frame0, frame2, frame3, frame4, frame5, frame6, frame7, frame8, frame9,
//memcost:more frame10
//memcost:expect by:calls stays-on-stack descend
//memcost:claim D3-linear by:calls stack:cold size:(65536 OR 131072 OR 262144 OR 524288 OR 1048576 OR 2097152)
//memcost:more linear in size
//memcost:more # Growing by many small frames takes time in proportion to the depth, as stacks that double do
//memcost:claim D8-copies by:calls stack:cold -doublings:0 / by:calls stack:warm -doublings:0 > 1 for every size
//memcost:more # The first deep call takes longer than the next one, for growing copies what is in use
//memcost:claim D8-steps by:frame stack:cold doublings:10 / by:frame stack:cold doublings:5 >= 2
//memcost:more # Growing for one large frame goes step by step: twice the steps take at least twice the time
func BenchmarkGrow(b *testing.B) { runCases(b, growCases()) }
