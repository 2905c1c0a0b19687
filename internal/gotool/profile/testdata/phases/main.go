// Phases writes one CPU profile for each thing that a program may spend its time
// on, DIR/NAME.prof, and a heap profile, DIR/heap.prof. It compiles with Go 1.13
// and later.
package main

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"syscall"
	"time"
)

var (
	sink int
	kept = make([]*node, 8)
)

func compute() {
	for i := 0; i < 1000000; i++ {
		sink = sink*31 + i
	}
}

var from, to = make([]byte, 8<<20), make([]byte, 8<<20)

func move() {
	for i := 0; i < 10; i++ {
		copy(to, from)
	}
}

func calls() {
	for i := 0; i < 10000; i++ {
		syscall.Getppid()
	}
}

func lookups() {
	m := map[string]int{}
	for i := 0; i < 100; i++ {
		m[string(rune('a'+i))+"key"] = i
	}
	for i := 0; i < 10000; i++ {
		sink += m[string(rune('a'+i%100))+"key"]
	}
}

//go:noinline
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

func stacks() {
	done := make(chan bool)
	for i := 0; i < 20; i++ {
		go func() {
			sink += deep(100000)
			done <- true
		}()
		<-done
	}
}

func handOver() {
	c := make(chan int)
	go func() {
		for i := 0; i < 10000; i++ {
			c <- i
		}
		close(c)
	}()
	for i := range c {
		sink += i
	}
}

type node struct{ left, right *node }

func grown(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{grown(depth - 1), grown(depth - 1)}
}

var live *node

func collect() {
	if live == nil {
		live = grown(21)
	}
	runtime.GC()
}

//go:noinline
func allocate() {
	for i := 0; i < 100000; i++ {
		kept[i%8] = new(node)
	}
}

// used is the CPU time of the process: a loaded machine only makes a phase last longer.
func used() time.Duration {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	dir := os.Args[1]
	debug.SetGCPercent(-1) // no collections but those that collect forces
	for _, phase := range []struct {
		name string
		do   func()
	}{
		{"compute", compute}, {"move", move}, {"calls", calls}, {"lookups", lookups},
		{"stacks", stacks}, {"handover", handOver}, {"allocate", allocate}, {"collect", collect},
	} {
		f, err := os.Create(filepath.Join(dir, phase.name+".prof"))
		check(err)
		check(pprof.StartCPUProfile(f))
		for start := used(); used()-start < 700*time.Millisecond; {
			phase.do()
		}
		pprof.StopCPUProfile()
		check(f.Close())
	}
	f, err := os.Create(filepath.Join(dir, "heap.prof"))
	check(err)
	check(pprof.WriteHeapProfile(f))
	check(f.Close())
	runtime.KeepAlive(live)
}
