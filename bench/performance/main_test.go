package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/proc"
)

// The test binary plays a process whose memory is watched.
func TestMain(m *testing.M) {
	if os.Getenv("PERFORMANCE_TEST_MEMORY") == "" {
		os.Exit(m.Run())
	}
	block := make([]byte, 64<<20)
	for i := range block {
		block[i] = byte(i)
	}
	time.Sleep(10 * watchEvery)
	runtime.KeepAlive(block)
	fmt.Println("done")
}

func testBench(t *testing.T) *bench {
	t.Helper()
	return &bench{runner: &proc.Runner{}, env: proc.CleanEnv(os.Environ()), dir: t.TempDir(), scale: 1,
		out: &bytes.Buffer{}, log: &bytes.Buffer{}}
}

func TestDoWatched(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a running process is read from Linux's /proc")
	}
	b := testBench(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	res, peak, err := b.doWatched(t.Context(), proc.Cmd{Path: self, Env: append(b.env, "PERFORMANCE_TEST_MEMORY=1")})
	if err != nil || string(res.Stdout) != "done\n" {
		t.Fatalf("%s%s: %v", res.Stdout, res.Stderr, err)
	}
	if peak < 64<<20 || peak > 256<<20 {
		t.Errorf("peak of %d bytes for a process that touches %d", peak, 64<<20)
	}
}

func TestProcFiles(t *testing.T) {
	for stat, want := range map[string]int{
		"12 (bash) S 7 12 12 0": 7, "12 (a) b) (c) R 3 1 1": 3, "12 (x)": 0, "": 0,
	} {
		if got := parentOf([]byte(stat)); got != want {
			t.Errorf("parent in %q is %d, want %d", stat, got, want)
		}
	}
	for status, want := range map[string]int64{
		"Name:\tx\nVmPeak:\t   900 kB\nVmHWM:\t     120 kB\nVmRSS:\t  80 kB\n": 120 << 10,
		"Name:\tx\nState:\tZ (zombie)\n":                                       0,
		"VmHWM:\tmuch kB\n":                                                    0,
	} {
		if got := highWater([]byte(status)); got != want {
			t.Errorf("peak in %q is %d, want %d", status, got, want)
		}
	}
}

// The benchmarks that are run against themselves compile and are as many as the
// tables say.
func TestOrdinaryBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	x := &aa{bench: testBench(t)}
	if err := x.writePackage(); err != nil {
		t.Fatal(err)
	}
	binary, err := x.build(t.Context(), x.pkg, "ordinary.test", "test", "-c", ".")
	if err != nil {
		t.Fatal(err)
	}
	res, err := x.do(t.Context(), proc.Cmd{Path: binary, Args: []string{"-test.list=^Benchmark"}})
	if err != nil {
		t.Fatal(err)
	}
	if names := strings.Fields(string(res.Stdout)); len(names) != aaCases {
		t.Errorf("%d benchmarks, want %d: %v", len(names), aaCases, names)
	}
}

func TestArguments(t *testing.T) {
	here := filepath.Join(t.TempDir(), "memcost")
	if err := os.WriteFile(here, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{}, "usage:"},
		{[]string{"sideways"}, "usage:"},
		{[]string{"start", "run"}, "usage:"},
		{[]string{"-no-such-flag"}, "no-such-flag"},
		{[]string{"-scale", "0", "start"}, "-scale 0"},
		{[]string{"-scale", "2", "start"}, "-scale 2"},
		{[]string{"-memcost", here + "-gone", "start"}, "-memcost names another"},
		{[]string{"-memcost", here, "-dir", filepath.Join(here, "x"), "start"}, "not a directory"},
	} {
		var stdout, stderr bytes.Buffer
		err := run(context.Background(), c.args, &stdout, &stderr)
		if err == nil || stdout.Len() > 0 {
			t.Errorf("%q passes", c.args)
			continue
		}
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(&stderr, err)
		}
		if !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%q says %q, not %q", c.args, stderr.String(), c.says)
		}
	}
}

func TestText(t *testing.T) {
	for got, want := range map[string]string{
		seconds(0.00432): "4.32 ms", seconds(0.9999e-3): "1.00 ms", seconds(12e-6): "12.0 µs", seconds(1.5): "1.50 s",
		seconds(59.9): "59.9 s", seconds(167.3): "2m47s", seconds(0): "0 µs",
		size(9.4 * (1 << 20)): "9.40 MiB", size(1 << 30): "1.00 GiB", size(512): "0.500 KiB",
		size(999 << 20): "999 MiB",
		digits(123.4):   "123", digits(99.99): "100", digits(9.999): "10.0", digits(0.0123): "0.0123",
		digits(-4.5):         "-4.50",
		thousands(1_000_020): "1,000,020", thousands(999): "999", thousands(1000): "1,000",
		share(0, 210): "0: 0.0% (0.0 to 1.7%)", share(0, 0): "none of 0",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if apart(1.24) || apart(1/1.24) || !apart(1.26) || !apart(1/1.26) {
		t.Error("25% apart means the same in both directions")
	}
	const want = "| a     |   µs |\n|-------|-----:|\n| x     |    1 |\n| y – z | 22.2 |\n"
	if got := table([][]string{{"a", "µs"}, {"x", "1"}, {"y – z", "22.2"}}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
