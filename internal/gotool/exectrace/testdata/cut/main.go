// Cut writes what a flight recorder holds of a short program: one generation, of more
// than one batch of events. It needs Go 1.25.
//
//	cut trace.out
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/trace"
)

var live []byte

func main() {
	runtime.GOMAXPROCS(2)
	r := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
	check(r.Start())
	for range 5000 {
		live = make([]byte, 1<<16)
		runtime.Gosched()
	}
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
