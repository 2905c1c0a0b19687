package escape

import "sync"

// The pairs of functions made at run time: closures, go and defer statements, and
// method values.

// visit and the others are variables, as callbacks are: as far as the compiler can tell,
// they may keep their arguments.
var (
	visit    = func(f func(int)) { f(1); f(2); f(3) }
	visitAcc = func(acc int, f func(acc, v int) int) int { return f(f(f(acc, 1), 2), 3) }
	callThis = func(f func() int) int { return f() }
	callWith = func(f func(int) int, v int) int { return f(v) }
	apply    = func(f func(int) int) int { return f(1) }
	applyTo  = func(v vec) int { return v.plus(1) }
)

// closureEscapes lets a callback change a variable outside it.
func closureEscapes(i int) int {
	sum := i
	visit(func(v int) { sum += v })
	return sum
}

// closureFixed hands the variable to the callback and takes it back.
func closureFixed(i int) int {
	return visitAcc(i, func(acc, v int) int { return acc + v })
}

// loopVariableEscapes captures the variable of a loop, which each iteration changes.
func loopVariableEscapes(i int) int {
	sum := i
	for j := 0; j < 4; j++ {
		sum += callThis(func() int { return j })
	}
	return sum
}

func loopVariableFixed(i int) int {
	sum := i
	for j := 0; j < 4; j++ {
		sum += callWith(func(v int) int { return v }, j)
	}
	return sum
}

var jobs, results, done chan int

// startWorker runs the goroutine that goStatementFixed hands its work to.
func startWorker() (end func()) {
	jobs, results, done = make(chan int), make(chan int), make(chan int)
	go func(jobs <-chan int, results chan<- int) {
		for v := range jobs {
			results <- 2 * v
		}
		close(results)
	}(jobs, results)
	return func() {
		close(jobs)
		<-results
	}
}

// goStatementEscapes starts a goroutine that changes a variable of its parent.
func goStatementEscapes(i int) int {
	v := i
	go func() {
		v *= 2
		done <- 0
	}()
	<-done
	return v
}

// goStatementFixed hands the same work to a goroutine that runs already.
func goStatementFixed(i int) int {
	jobs <- i
	return <-results
}

var locks [4]sync.Mutex

// deferLoopEscapes defers in a loop: the number of records is not known to the
// compiler, so they are not in the frame.
func deferLoopEscapes(i int) int {
	for j := range locks {
		locks[j].Lock()
		defer locks[j].Unlock()
	}
	return i
}

func deferLoopFixed(i int) int {
	for j := range locks {
		deferLoopFixedOne(&locks[j])
	}
	return i
}

//go:noinline
func deferLoopFixedOne(m *sync.Mutex) {
	m.Lock()
	defer m.Unlock()
}

//go:noinline
func (v vec) plus(n int) int { return v.X + n }

// methodValueEscapes makes a function of a method and the value bound to it.
func methodValueEscapes(i int) int {
	v := vec{i, 1, 2}
	return apply(v.plus)
}

// methodValueFixed hands the value over and lets the method be called on it.
func methodValueFixed(i int) int {
	v := vec{i, 1, 2}
	return applyTo(v)
}

func closurePairs() []pair {
	return []pair{
		{cause: "closure", escapes: closureEscapes, fixed: closureFixed, allocs: always(2), saved: always(0)},
		{cause: "loop-variable", escapes: loopVariableEscapes, fixed: loopVariableFixed,
			allocs: history{{"", 5}, {"go1.22", 4}}, saved: always(0)},
		{cause: "go-statement", escapes: goStatementEscapes, fixed: goStatementFixed,
			allocs: history{{"", 1}, {"go1.17", 2}}, saved: always(0), setup: startWorker},
		{cause: "defer-loop", escapes: deferLoopEscapes, fixed: deferLoopFixed, allocs: history{{"", 0}, {"go1.17", 4}},
			saved: always(0)},
		{cause: "method-value", escapes: methodValueEscapes, fixed: methodValueFixed, allocs: always(1),
			saved: always(0)},
	}
}
