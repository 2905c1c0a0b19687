package sample

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// A executor for scripts, one for each arm.
func labOf(t *testing.T, scripts ...string) (*Executor, *plan.Plan) {
	t.Helper()
	p := &plan.Plan{Options: plan.Options{Sample: 20 * time.Millisecond, Timeout: 10 * time.Second}}
	var paths []string
	for i, text := range scripts {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		p.Sides = append(p.Sides, plan.Side{Name: string(rune('a' + i))})
	}
	return &Executor{Runner: &proc.Runner{}, Target: func(_ plan.Case, arm, _ int) (Target, error) {
		return Target{Path: paths[arm], Env: os.Environ(), Args: []string{"x"}}, nil
	}}, p
}

// A command line is one case of one operation; each arm's own is run before the first round, and
// may fail, but not always.
func TestCommandLine(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "flag")
	l, p := labOf(t, "exit 0", "test -e "+flag+" || { touch "+flag+"; exit 1; }")
	p.Studies = []plan.Study{{Name: "command", Harness: plan.HarnessCommand}}
	before := 0
	l.Before = func(context.Context) error { before++; return nil }
	l.Launch = func(ctx context.Context, _ plan.Role, cmd proc.Cmd) (proc.Result, []benchfmt.Value, error) {
		if !slices.Equal(cmd.Args, []string{"x"}) {
			t.Errorf("arguments %q", cmd.Args)
		}
		res, err := l.Runner.Run(ctx, cmd)
		return res, []benchfmt.Value{{Value: 7, Unit: series.UnitOutput}}, err
	}
	if err := l.Discover(t.Context(), p, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if len(p.Cases) != 1 || len(p.Failures) != 0 || p.Cases[0].N != 1 || p.Cases[0].Estimate <= 0 || before != 3 {
		t.Fatalf("%+v, failures %+v, %d processes", p.Cases, p.Failures, before)
	}
	c := p.Cases[0]
	r, _, _, err := l.runOn(t.Context(), harnessOf(p.Kind(c)), p, c, 0, "1x", 0)
	if err != nil || r == nil || string(r.Name) != CommandCase || r.Iters != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	for _, unit := range []string{"sec/op", series.UnitCPU} {
		if v, ok := r.Value(unit); !ok || v <= 0 || v > 5 {
			t.Errorf("%v %s", v, unit)
		}
	}
	if v, _ := r.Value(series.UnitOutput); v != 7 {
		t.Errorf("what the launch found is not in %v", r.Values)
	}
}

func TestCommandLineThatFails(t *testing.T) {
	l, p := labOf(t, "exit 0", "echo why; exit 9")
	p.Studies = []plan.Study{{Name: "command", Harness: plan.HarnessCommand}}
	if err := l.Discover(t.Context(), p, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if len(p.Cases) != 0 || len(p.Failures) != 1 || p.Failures[0].Side != "b" ||
		p.Failures[0].Reason != "exit status 9: why" {
		t.Errorf("%+v, failures %+v", p.Cases, p.Failures)
	}
}

// A program of the user's on Google Benchmark: its cases by its own names, and N as its version of
// the library has it.
func TestBuiltGoogle(t *testing.T) {
	const program = `case "$*" in
*--benchmark_list_tests=true*) printf 'BM_Sum/n:8\nBM_Pair<int, long>/process_time\n' ;;
*BM_Sum*) echo '{"context": {}, "benchmarks": [{"name": "BM_Sum/n:8", "run_type": "iteration",
"iterations": 1000, "real_time": 2, "cpu_time": 2, "time_unit": "us"}]}' ;;
*) echo '{"context": {}, "benchmarks": [{"name": "BM_Pair<int, long>/process_time", "run_type": "iteration",
"error_occurred": true, "error_message": "no"}]}' ;;
esac`
	l, p := labOf(t, program)
	p.Studies = []plan.Study{{Name: "benchmarks", Harness: plan.HarnessTimed}}
	if err := l.Discover(t.Context(), p, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if len(p.Cases) != 1 || len(p.Failures) != 1 || p.Failures[0].Name != "Pair<int,_long>" {
		t.Fatalf("%+v, failures %+v", p.Cases, p.Failures)
	}
	c := p.Cases[0]
	if c.Name != "Sum/n=8" || c.Call != "BM_Sum/n:8" || c.N < 9_999 || c.N > 10_001 {
		t.Errorf("got %+v", c)
	}
	for kind, want := range map[plan.Kind]string{
		plan.GoogleTimed: "--benchmark_min_time=0.01", plan.GoogleCounted: "--benchmark_min_time=5000x",
	} {
		args := harnessOf(kind).args(c, "5000x")
		if !slices.Contains(args, want) || !strings.HasSuffix(strings.Join(args[:2], " "), "=^BM_Sum/n:8$") {
			t.Errorf("arguments %q, want %s", args, want)
		}
		if args := harnessOf(kind).args(c, "15ms"); !slices.Contains(args, "--benchmark_min_time=0.015") {
			t.Errorf("arguments %q of a time", args)
		}
	}
}
