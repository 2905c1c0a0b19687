// Long traces itself for more than three seconds, in which little happens: a
// trace of several generations. It needs Go 1.22.
//
//	long trace.out
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
	"time"
)

var live []byte

func main() {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(os.Args[1])
	check(err)
	check(trace.Start(f))
	for range 13 {
		for range 5 {
			live = make([]byte, 1<<20)
		}
		time.Sleep(250 * time.Millisecond)
	}
	trace.Stop()
	check(f.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
