// Program traces itself while it does what a trace can show: collections, some
// of them forced, goroutines that wait for each other, for a lock, for time, for
// a connection and for the disk, and a pause of the tool's own.
//
//	GODEBUG=gctrace=1 program trace.out 2> exectrace.txt
//
// On standard error, the lines "trace begins" and "trace ends" stand around what
// the collector printed during the trace. It compiles with Go 1.13.
package main

import (
	"fmt"
	"io/ioutil"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"time"
)

type node struct {
	left, right *node
	room        [48]byte
}

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

var live [8]*node

// allocate makes garbage, and keeps some of it for a while.
func allocate(id int, done *sync.WaitGroup, mu *sync.Mutex) {
	defer done.Done()
	for i := 0; i < 14; i++ {
		t := tree(11)
		mu.Lock()
		live[(id+i)%len(live)] = t
		mu.Unlock()
	}
}

func pass(from <-chan int, to chan<- int, done *sync.WaitGroup) {
	defer done.Done()
	for n := range from {
		to <- n
	}
	close(to)
}

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		buf := make([]byte, 8)
		for {
			n, err := c.Read(buf)
			if err != nil {
				break
			}
			if _, err := c.Write(buf[:n]); err != nil {
				break
			}
		}
		c.Close()
	}
}

func talk(address string, done *sync.WaitGroup) {
	defer done.Done()
	c, err := net.Dial("tcp", address)
	check(err)
	buf := make([]byte, 8)
	for i := 0; i < 20; i++ {
		_, err := c.Write([]byte("12345678"))
		check(err)
		_, err = c.Read(buf)
		check(err)
	}
	c.Close()
}

func files(dir string, done *sync.WaitGroup) {
	defer done.Done()
	for i := 0; i < 20; i++ {
		check(ioutil.WriteFile(dir+"/f", make([]byte, 1<<16), 0666))
		_, err := ioutil.ReadFile(dir + "/f")
		check(err)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work(dir string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go serve(l)
	var done sync.WaitGroup
	var mu sync.Mutex
	first, second, third := make(chan int), make(chan int, 4), make(chan int)
	done.Add(4 + 2 + 1 + 1)
	for i := 0; i < 4; i++ {
		go allocate(i, &done, &mu)
	}
	go pass(first, second, &done)
	go pass(second, third, &done)
	go talk(l.Addr().String(), &done)
	go files(dir, &done)
	for i := 0; i < 100; i++ {
		first <- i
		<-third
	}
	close(first)
	time.Sleep(5 * time.Millisecond)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	done.Wait()
	l.Close()
	runtime.GC()
}

func main() {
	runtime.GOMAXPROCS(4)
	debug.SetGCPercent(-1) // none is to be on when the trace begins
	dir, err := ioutil.TempDir("", "program")
	check(err)
	defer os.RemoveAll(dir)
	f, err := os.Create(os.Args[1])
	check(err)
	fmt.Fprintln(os.Stderr, "trace begins")
	check(trace.Start(f))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	debug.SetGCPercent(50)
	work(dir)
	runtime.ReadMemStats(&after)
	trace.Stop()
	fmt.Fprintln(os.Stderr, "trace ends")
	check(f.Close())
	fmt.Fprintf(os.Stderr, "%s: %d collections, %d forced, %d ns of pauses\n", runtime.Version(),
		after.NumGC-before.NumGC, after.NumForcedGC-before.NumForcedGC, after.PauseTotalNs-before.PauseTotalNs)
}
