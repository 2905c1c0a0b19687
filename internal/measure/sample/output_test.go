package sample

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"memcost/internal/base/proc"
)

func names(o output) string {
	var out []string
	for _, r := range o.results {
		out = append(out, string(r.Name))
	}
	return strings.Join(out, " ")
}

// What go test's -test.v printed for a benchmark that is well, one that skips
// itself, and one whose part x=b panics, from four releases of Go.
func TestParseCaptured(t *testing.T) {
	files, err := filepath.Glob("testdata/listing-go*.txt")
	if err != nil || len(files) != 4 {
		t.Fatalf("captured outputs: %v, %v", files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		o := parse(text, 2)
		if got := names(o); got != "OK-2 Subs/x=a-2" {
			t.Errorf("%s: results %s", f, got)
		}
		if got := o.running(2); got != "Subs/x=b" {
			t.Errorf("%s: %q was running when the process died", f, got)
		}
		if got := o.words["Skip"]; !slices.Equal(o.skipped, []string{"Skip"}) || got != "bad_test.go:18: not here" {
			t.Errorf("%s: skipped %v, it said %q", f, o.skipped, got)
		}
		if o.ended {
			t.Errorf("%s: called ended, the process died", f)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, stdout                   string
		results, failed, garbled, runs string
		ended                          bool
	}{
		{name: "nothing"},
		{name: "good", stdout: "goos: linux\nBenchmarkX-2 \t 10\t 5.0 ns/op\nPASS\n", results: "X-2", ended: true},
		{name: "carriage returns", stdout: "BenchmarkX-2 \t 10\t 5.0 ns/op\r\nPASS\r\n", results: "X-2", ended: true},
		{name: "a last line that the benchmark began", stdout: "BenchmarkX-2 \t 10\t 5.0 ns/op\n..PASS\n",
			results: "X-2", ended: true},
		{name: "output before the name", stdout: "noiseBenchmarkX-2 \t 10\t 5.0 ns/op\nPASS\n", results: "X-2",
			ended: true},
		{name: "output behind the name", stdout: "BenchmarkX-2 \tnoise       10\t 5.0 ns/op\nPASS\n", garbled: "X",
			runs: "X", ended: true},
		{name: "a line behind the name", stdout: "BenchmarkX-2 \tnoise\n       10\t 5.0 ns/op\nPASS\n", garbled: "X",
			runs: "X", ended: true},
		{name: "other units", stdout: "BenchmarkX-2 \t 10\t 7.0 cows/op\nPASS\n", results: "X-2", ended: true},
		{name: "no figures", stdout: "BenchmarkX-2 \t 10\nPASS\n", garbled: "X", runs: "X", ended: true},
		{name: "bad figures", stdout: "BenchmarkX-2 \t 10\t five ns/op\nPASS\n", garbled: "X", runs: "X", ended: true},
		{name: "b.Fatal", stdout: "--- FAIL: BenchmarkX\n    x_test.go:1: no\nFAIL\n", failed: "X", ended: true},
		{name: "b.Fatal after its name", stdout: "BenchmarkX-2 \t--- FAIL: BenchmarkX-2\n    x_test.go:1: no\nFAIL\n",
			failed: "X-2", ended: true},
		{name: "b.Fatal of a part", stdout: "BenchmarkX\nBenchmarkX/a\n    x_test.go:1: no\n--- FAIL: " +
			"BenchmarkX/a\n--- FAIL: BenchmarkX\nFAIL\n", failed: "X/a X", ended: true},
		{name: "died in a part", stdout: "BenchmarkX\nBenchmarkX/a\nBenchmarkX/a-2 \t 10\t 5.0 ns/op\nBenchmarkX/b\n",
			results: "X/a-2", runs: "X/b"},
		{name: "died between parts", stdout: "BenchmarkX\nBenchmarkX/a\nBenchmarkX/a-2 \t 10\t 5.0 ns/op\n",
			results: "X/a-2", runs: "X"},
		{name: "a name in a log line", stdout: "BenchmarkX\n    x_test.go:1: see BenchmarkY\n", runs: "X"},
	} {
		o := parse([]byte(c.stdout), 2)
		if got := names(o); got != c.results {
			t.Errorf("%s: results %q, want %q", c.name, got, c.results)
		}
		if got := strings.Join(o.failed, " "); got != c.failed {
			t.Errorf("%s: failed %q, want %q", c.name, got, c.failed)
		}
		if got := strings.Join(o.garbled, " "); got != c.garbled {
			t.Errorf("%s: garbled %q, want %q", c.name, got, c.garbled)
		}
		if got := o.running(2); got != c.runs {
			t.Errorf("%s: running %q, want %q", c.name, got, c.runs)
		}
		if o.ended != c.ended {
			t.Errorf("%s: ended %v", c.name, o.ended)
		}
	}
}

// A name may end in a number of its own.
func TestBaseName(t *testing.T) {
	for _, c := range []struct {
		name  string
		procs int
		want  string
	}{
		{"X", 1, "X"}, {"X-1", 1, "X-1"}, {"X-2", 1, "X-2"},
		{"X-2", 2, "X"}, {"X-2-2", 2, "X-2"}, {"X/size=16-2", 2, "X/size=16"}, {"X-12", 2, "X-12"}, {"X-12", 12, "X"},
	} {
		if got := baseName(c.name, c.procs); got != c.want {
			t.Errorf("baseName(%q, %d) = %q, want %q", c.name, c.procs, got, c.want)
		}
	}
	// A part called "n-2" on two CPUs is announced as such, and prints "n-2-2".
	o := parse([]byte("BenchmarkX\nBenchmarkX/n-2\n--- FAIL: BenchmarkX/n-2\n--- FAIL: BenchmarkX\nFAIL\n"), 2)
	if got := leaves(o.failed); !slices.Equal(got, []string{"X/n-2"}) {
		t.Errorf("failed %v", got)
	}
}

func TestTopLevel(t *testing.T) {
	got := topLevel([]byte("setting up …BenchmarkA\nBenchmarkB_1\r\nBenchmark suite ready\nBenchmarkÄ\nthe last " +
		"Benchmark\nBenchmarkA\nBenchmark\nok\n"))
	if !slices.Equal(got, []string{"A", "B_1", "Ä", ""}) {
		t.Errorf("listed %q", got)
	}
}

func TestWhy(t *testing.T) {
	for _, c := range []struct {
		name  string
		res   proc.Result
		words map[string]string
		want  string
	}{
		{"a panic is better than the last line", proc.Result{ExitCode: 2, Stdout: []byte("BenchmarkX\n"),
			Stderr: []byte("panic: boom\n\ngoroutine 7\nexit status 2\n")}, nil, "exit status 2: panic: boom"},
		{"the last line else", proc.Result{ExitCode: 3, Stdout: []byte("goos: linux\nbye\n\n")}, nil,
			"exit status 3: bye"},
		{"nothing at all", proc.Result{ExitCode: 3}, nil, "exit status 3: no output"},
		{"a hang", proc.Result{ExitCode: -1, Signal: "SIGKILL", TimedOut: true, Wall: 1e9, Stdout: []byte("waiting\n")},
			nil, "no result after 1s (--timeout): waiting"},
		{"the OOM killer", proc.Result{ExitCode: -1, Signal: "SIGKILL"}, nil,
			"killed (SIGKILL): out of memory, or killed by hand"},
		{"another signal", proc.Result{ExitCode: -1, Signal: "SIGSEGV", Stderr: []byte("oh\n")}, nil,
			"died of SIGSEGV: oh"},
		{"b.Fatal", proc.Result{ExitCode: 1, Stdout: []byte("--- FAIL: BenchmarkX\n    x_test.go:1: no way\nFAIL\n")},
			nil, "failed: x_test.go:1: no way"},
		{"os.Exit(0) before it has a result", proc.Result{Stdout: []byte("goos: linux\nBenchmarkX-2 \t")}, nil,
			"it ended with exit status 0 before it had a result (os.Exit?)"},
		{"the same with a last word", proc.Result{Stdout: []byte("BenchmarkX-2 \t"), Stderr: []byte("bye\n")}, nil,
			"it ended with exit status 0 before it had a result (os.Exit?): bye"},
		{"output behind the name", proc.Result{Stdout: []byte("BenchmarkX-2 \tnoise\n 10\t 5.0 ns/op\nPASS\n"),
			Stderr: []byte("a log\n")}, nil, "what it prints to standard output is in the way of its figures " +
			"(standard error is free): BenchmarkX-2  noise"},
		{"output below the name", proc.Result{Stdout: []byte("BenchmarkX-2 \t\nnoise\n 10\t 5.0 ns/op\nPASS\n"),
			Stderr: []byte("a log\n")}, nil, "what it prints to standard output is in the way of its figures " +
			"(standard error is free): noise"},
		{"control characters", proc.Result{ExitCode: 1, Stderr: []byte("\x1b[31mred\x00\xff\n")}, nil,
			"exit status 1:  [31mred ?"},
	} {
		if got := why(c.res, parse(c.res.Stdout, 2)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whatever a benchmark prints: no panic, a reason of one line, and a good result
// on a line of its own at the end is found.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "garbage", "BenchmarkX-2 \t 10\t 5.0 ns/op\n", "BenchmarkX-2 \t",
		"--- FAIL: BenchmarkX\n    no\n", "    \n--- SKIP: Benchmark", "Benchmark\t\n1\t",
		"\xff\x00BenchmarkX/a b\r\nPASS"} {
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, stdout []byte, procs int) {
		o := parse(stdout, procs)
		for _, r := range o.results {
			if len(r.Values) == 0 {
				t.Errorf("a result without a figure: %s", r.Name)
			}
		}
		reason := why(proc.Result{ExitCode: 1, Stdout: stdout}, o)
		if strings.ContainsAny(reason, "\n\r\x1b") || !utf8.ValidString(reason) || len(reason) > 1000 {
			t.Errorf("reason %q", reason)
		}
		o = parse(append(slices.Clone(stdout), "\nBenchmarkMine/fuzz-7 \t 10\t 5.0 ns/op\n"...), procs)
		if o.find("Mine/fuzz-7") == nil {
			t.Error("the result at the end was not found")
		}
	})
}

func TestBefore(t *testing.T) {
	o := parse([]byte("BenchmarkX\nBenchmarkX/a\nBenchmarkX/b\nBenchmarkX/b/1\nBenchmarkX/b/2\nBenchmarkX/c\n"), 2)
	for name, want := range map[string]string{"X/c": "X/b/2", "X/b/2": "X/b/1", "X/b/1": "X/a", "X/a": "", "X": "X/c",
		"X/b": "X/c", "Y": "X/c"} {
		if got := o.before(name); got != want {
			t.Errorf("before %s: %q, want %q", name, got, want)
		}
	}
}
