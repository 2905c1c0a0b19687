package proc

import (
	"testing"
)

func TestLastLine(t *testing.T) {
	for _, c := range []struct{ stdout, stderr, want string }{
		{"{\n  \"benchmarks\": [\n", "", NoOutput},
		{"{\n  \"context\": {\n", "free(): invalid pointer\n", "free(): invalid pointer"},
		{"", "malloc_bench: no memory\nhint: buy some\n", "malloc_bench: no memory"},
		{"", "hint: buy some\n", "hint: buy some"},
		{"goos: linux\nBenchmarkX\n", "\n", NoOutput},
		{"panic: one\n\ngoroutine 1\n", "exit status 2\n", "panic: one"},
	} {
		if got := LastLine(Result{Stdout: []byte(c.stdout), Stderr: []byte(c.stderr)}); got != c.want {
			t.Errorf("of %q and %q it is %q, want %q", c.stdout, c.stderr, got, c.want)
		}
	}
}
