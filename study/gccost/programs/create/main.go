// Create makes n structs of 80 bytes by copy or by pointer, the published program
// of the study, and prints how long that took as a line in the Go benchmark format:
//
//	BenchmarkTraced/by=pointer/n=20000000   with -trace FILE
//	BenchmarkProfiled/by=pointer/n=20000000 with -cpuprofile FILE
//	BenchmarkPlain/by=pointer/n=20000000    without either
//
// The tracer and the profiler slow it down, so that it takes one of them at a time,
// and neither figure is that of the study's benchmarks. GOGC, GOMEMLIMIT and
// GOMAXPROCS act on it as on every program.
//
// A wrong flag ends it with status 2, as does a file that cannot be written.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"

	"memcost/study/gccost"
)

// count is the flag -n.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }

func (c *count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("want a whole number from 1 on")
	}
	*c = count(n)
	return nil
}

// ways is the flag -by.
type ways struct {
	by     string
	create func(n int) int
}

func (w *ways) String() string { return w.by }

func (w *ways) Set(by string) error {
	switch by {
	case "copy":
		w.create = gccost.Copies
	case "pointer":
		w.create = gccost.Pointers
	default:
		return errors.New("want copy or pointer")
	}
	w.by = by
	return nil
}

// recorder is the flags -trace and -cpuprofile: one of them, once.
type recorder struct {
	file *os.File
	name string // of the benchmark
	stop func()
}

// A recording is one of the recorder's flags.
type recording struct {
	*recorder
	as    string
	start func(*os.File) error
	end   func()
}

func (recording) String() string { return "" }

func (r recording) Set(path string) error {
	if r.file != nil {
		return errors.New("only one recording at a time: -trace or -cpuprofile")
	}
	f, err := os.Create(path)
	r.file, r.name, r.stop = f, r.as, r.end
	if err == nil {
		err = r.start(f)
	}
	return err
}

func main() {
	var w ways
	if err := w.Set("copy"); err != nil {
		panic(err)
	}
	r := &recorder{name: "Plain", stop: func() {}}
	n := count(20000000)
	flag.Var(&n, "n", "how many to create: a `number`")
	flag.Var(&w, "by", "create by `copy` or by pointer")
	flag.Var(recording{r, "Traced", func(f *os.File) error {
		return trace.Start(f)
	}, trace.Stop}, "trace", "write an execution trace to `file`")
	flag.Var(recording{r, "Profiled", func(f *os.File) error {
		return pprof.StartCPUProfile(f)
	}, pprof.StopCPUProfile}, "cpuprofile", "write a CPU profile to `file`")
	flag.Parse()
	elapsed := run(w.create, int(n), r)
	fmt.Printf("goos: %s\ngoarch: %s\npkg: memcost/study/gccost\n", runtime.GOOS, runtime.GOARCH)
	fmt.Printf("Benchmark%s/by=%s/n=%d 1 %d ns/op\n", r.name, w.by, n, elapsed.Nanoseconds())
}

// run creates under the recorder and returns how long the creating took. It
// panics if what came of it is wrong, or if the recording could not be written.
func run(create func(n int) int, n int, r *recorder) time.Duration {
	start := time.Now()
	sum := create(n)
	elapsed := time.Since(start)
	r.stop()
	if r.file != nil {
		if err := r.file.Close(); err != nil {
			panic(err)
		}
	}
	if want := sumBelow(n); sum != want {
		panic(fmt.Sprintf("%d creates summed up to %d, not %d", n, sum, want))
	}
	return elapsed
}

// sumBelow returns 0 + 1 + … + n-1, which wraps around where a sum of ints does.
func sumBelow(n int) int {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}
