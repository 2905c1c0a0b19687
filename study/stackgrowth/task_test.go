package stackgrowth

import (
	"fmt"
	"testing"
)

// inFlight is the number of tasks that exist at a time.
const inFlight = 64

// tasks starts n tasks, inFlight at a time, and waits for them.
func tasks(n int, begin func(), done <-chan struct{}) {
	for n > 0 {
		batch := inFlight
		if n < batch {
			batch = n
		}
		for i := 0; i < batch; i++ {
			begin()
		}
		for i := 0; i < batch; i++ {
			<-done
		}
		n -= batch
	}
}

// fresh starts a goroutine for each task.
func fresh(call func()) work {
	return func(n int, start, stop func()) {
		quietly(func() {
			done := make(chan struct{}, inFlight)
			task := func() {
				call()
				done <- struct{}{}
			}
			begin := func() { go task() }
			tasks(inFlight, begin, done)
			start()
			tasks(n, begin, done)
			stop()
		})
	}
}

// kept runs the tasks on as many goroutines as there are tasks at a time, which are
// reused.
func kept(call func()) work {
	return func(n int, start, stop func()) {
		quietly(func() {
			todo, done, ended := make(chan struct{}), make(chan struct{}, inFlight), make(chan struct{})
			waiting := make(chan struct{}, inFlight)
			for i := 0; i < inFlight; i++ {
				go func() {
					waiting <- struct{}{}
					for range todo {
						call()
						done <- struct{}{}
					}
					ended <- struct{}{}
				}()
			}
			// When all of them wait, each gets one task of the first batch, and
			// grows; else those that are early would take those of the others.
			for i := 0; i < inFlight; i++ {
				<-waiting
			}
			begin := func() { todo <- struct{}{} }
			tasks(inFlight, begin, done)
			start()
			tasks(n, begin, done)
			stop()
			close(todo)
			for i := 0; i < inFlight; i++ {
				<-ended
			}
		})
	}
}

func taskCases() []benchCase {
	var cases []benchCase
	for k := 0; k <= 6; k += 2 {
		call, size := byCalls(k), smallest<<uint(k)
		cases = append(cases,
			benchCase{fmt.Sprintf("goroutine=fresh/size=%d", size), fresh(call)},
			benchCase{fmt.Sprintf("goroutine=kept/size=%d", size), kept(call)})
	}
	return cases
}

// BenchmarkTask is one task of 64 at a time, each on a fresh goroutine or on one
// of 64 that are kept. The tasks need a stack of so many bytes.
//
//memcost:expect * allocs/op == 0
//memcost:claim kept-wins [own] goroutine:fresh / goroutine:kept > 1 for every size
//memcost:more # A goroutine that is kept is faster for each task than a fresh one
//memcost:claim kept-shallow [own] goroutine:fresh size:2048 / goroutine:kept size:2048 < 2
//memcost:more # A fresh goroutine takes less than twice as long as a kept one where the task needs no growth
func BenchmarkTask(b *testing.B) { runCases(b, taskCases()) }
