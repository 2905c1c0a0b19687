package sample

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"memcost/internal/machine"
)

// Main is called first in main, and in TestMain of a package whose tests call [Start].
// It reports whether this process is one of a load; it then returns when the load is over,
// with the exit status that the program ends with.
func Main() (status int, is bool) {
	if os.Getenv(entryVar) == "" || len(os.Args) != 3 || os.Args[1] != entryArg {
		return 0, false
	}
	work, err := prepare(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2, true
	}
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		for !over.Load() {
			work()
		}
	}()
	reply(os.Stdin, os.Stdout)
	over.Store(true)
	<-done
	return 0, true
}

// reply answers each line of the input with the CPU time of this process in nanoseconds,
// until the input ends: then the program that holds its other end has ended, or wants an
// end.
func reply(r io.Reader, w io.Writer) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if _, err := fmt.Fprintln(w, int64(machine.OwnCPU()*1e9)); err != nil {
			return
		}
	}
}

// prepare returns a unit of work, of some microseconds to a millisecond. kind is that of
// [Start], or the bytes of the buffer.
func prepare(kind string) (work func(), err error) {
	if kind == CPU.String() {
		return spinner(), nil
	}
	size, err := strconv.Atoi(kind)
	if err != nil || size < chunk {
		return nil, fmt.Errorf("%q is neither %q nor the bytes of a buffer", kind, CPU)
	}
	return streamer(size), nil
}

// spinner is work without memory: xorshift64 (Marsaglia, "Xorshift RNGs", 2003), each step
// of which waits for the one before.
func spinner() func() {
	x := uint64(88172645463325252)
	return func() {
		for range 1 << 16 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
	}
}

// streamer is work that is bound by memory: it copies one half of a buffer over the other,
// on through the whole of it, so that what it reads has left the caches since the last time.
func streamer(size int) func() {
	buffer := make([]byte, size)
	for i := range buffer { // not the shared zero page
		buffer[i] = byte(i)
	}
	from, to := buffer[:size/2], buffer[size/2:]
	at := 0
	return func() {
		end := min(at+chunk, len(from))
		copy(to[at:end], from[at:end])
		if at = end; at == len(from) {
			at, from, to = 0, to[:len(from)], from
		}
	}
}
