// Flight writes what a flight recorder holds when a collection is on: a trace
// that begins and ends in the middle of things. It needs Go 1.25.
//
//	flight trace.out
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/trace"
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

var (
	large *node // makes collections long
	live  [4]*node
)

func main() {
	runtime.GOMAXPROCS(2)
	large = tree(18)
	debug.SetGCPercent(2)
	r := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Millisecond, MaxBytes: 1})
	check(r.Start())
	for i := range live {
		go func() {
			for {
				live[i] = tree(11)
				time.Sleep(time.Millisecond)
			}
		}()
	}
	time.Sleep(2500 * time.Millisecond) // a generation is a second, and the first is not to be in it
	f, err := os.Create(os.Args[1])
	check(err)
	_, err = r.WriteTo(f)
	check(err)
	check(f.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
