// Program allocates in known ways: each line that does so ends with the function of the
// runtime that it calls. It writes a heap profile of itself to the file that it is given.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
)

type pair struct{ a, b, c int }

var (
	pairs  *pair
	words  []string
	text   string
	any1   interface{}
	number = len(os.Args)
	table  = map[string]int{}
	pipe   chan int
	data   []byte
)

//go:noinline
func object() {
	pairs = &pair{a: number} // runtime.newobject
}

//go:noinline
func slices(n int) {
	words = make([]string, n)     // runtime.makeslice
	words = append(words, "more") // runtime.growslice
}

//go:noinline
func strs(n int) {
	text = string(data) // runtime.slicebytetostring
	text = text + text  // runtime.concatstring2
	data = []byte(text) // runtime.stringtoslicebyte
}

//go:noinline
func boxes(p pair) {
	any1 = p // runtime.convTnoptr
}

//go:noinline
func maps(key string) {
	table[key] = 1                              // runtime.mapassign_faststr
	table["long key that is no constant"+key]++ // runtime.concatstring2 runtime.mapassign_faststr
}

//go:noinline
func channels(done chan bool) {
	pipe = make(chan int, 3) // runtime.makechan
	go send(done)            // runtime.newproc
}

func send(done chan bool) { done <- true }

func inner(n int) *pair {
	return &pair{a: n} // runtime.newobject
}

func middle(n int) *pair {
	p := inner(n + 1)
	return p
}

//go:noinline
func outer() {
	pairs = middle(number)
	pairs = inner(7)
}

//go:noinline
func builds() {
	var b strings.Builder
	b.WriteString("a text that is longer than the smallest size, so that it grows once")
	text = b.String()
}

func init() { runtime.MemProfileRate = 1 }

func main() {
	data = []byte("some text of more than 32 bytes, so that no buffer does")
	done := make(chan bool)
	object()
	slices(100)
	strs(3)
	boxes(*pairs)
	maps(text)
	channels(done)
	<-done
	outer()
	builds()
	wrapped(&value{n: number})
	any1 = filled[pair](number)
	if len(os.Args) < 2 {
		return
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	runtime.GC()
	if err := pprof.Lookup("allocs").WriteTo(f, 0); err != nil {
		panic(err)
	}
	f.Close()
}

type maker interface{ make() *pair }

type value struct{ n int }

func (v value) make() *pair {
	return &pair{a: v.n} // runtime.newobject
}

// The method of *value is one that the compiler makes around that of value.
//
//go:noinline
func wrapped(m maker) { pairs = m.make() }

//go:noinline
func filled[T any](n int) []T {
	return make([]T, n) // runtime.makeslice
}
