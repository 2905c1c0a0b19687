package sample

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// script stands for a program on Google Benchmark: it lists two benchmarks, answers one
// in JSON, and says what it was started with.
const script = `#!/bin/sh
for a in "$@"; do
	case "$a" in
	--benchmark_list_tests=true)
		[ "$BROKEN" ] && { echo cannot load >&2; exit 3; }
		printf 'Malloc/op=malloc/size=8/manual_time\nMalloc/op=walk/size=8/iterations:1\n'; exit 0;;
	--iterations=*) n=${a#--iterations=};;
	--benchmark_filter=*) filter=${a#--benchmark_filter=};;
	-m*) [ "$a" = -mM_BAD=1 ] && bad='"error_occurred": true, "error_message": "M_BAD: no effect",';;
	esac
done
echo "$filter" | grep -q 'op=malloc' || { echo "filter: $filter" >&2; exit 1; }
cat <<END
{"context": {"num_cpus": 2, "tick_ns": "${MEMCOST_TICK_NS:-0.5}"}, "benchmarks": [
{"name": "Malloc/op=malloc/size=8/iterations:$n/manual_time", "run_type": "iteration", $bad "iterations": ${n:-7}, "real_time": 12.5, "cpu_time": 11, "time_unit": "ns", "minor_faults": 0.5}]}
END
`

func googlePlan(variants ...language.Variant) *plan.Plan {
	return &plan.Plan{
		Options: plan.Options{Sample: 2 * time.Millisecond, Timeout: 10 * time.Second, Alpha: 0.05},
		Sides:   []plan.Side{{Name: "g++ 12"}},
		Studies: []plan.Study{{Name: "malloc", Google: true, Sides: []int{0}, Variants: variants}},
	}
}

func googleExecutor(t *testing.T) *Executor {
	path := filepath.Join(t.TempDir(), "malloc_bench")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Executor{Runner: &proc.Runner{}, Target: func(_ plan.Case, arm, layout int) (Target, error) {
		return Target{Path: path, Env: []string{"PATH=" + os.Getenv("PATH")}}, nil
	}}
}

// Each benchmark is a case for each variant; a variant that cannot even list is a
// failure, and so is a case that the program itself calls one.
func TestGoogleCases(t *testing.T) {
	p := googlePlan(
		language.Variant{Keys: "allocator=glibc/setting=default"},
		language.Variant{Keys: "setting=bad", Args: []string{"-mM_BAD=1"}},
		language.Variant{Keys: "allocator=none", Env: []string{"BROKEN=1"}})
	p.Options.Bench = "Malloc/.*/.*/op=malloc|Malloc/setting=bad/op=malloc"
	if err := googleExecutor(t).Discover(context.Background(), p, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if len(p.Cases) != 1 || p.Cases[0].Name != "Malloc/allocator=glibc/setting=default/op=malloc/size=8" ||
		p.Cases[0].N < 100_000 {
		t.Errorf("cases %+v", p.Cases)
	}
	var failed []string
	for _, f := range p.Failures {
		failed = append(failed, f.Name+": "+f.Reason)
	}
	want := []string{"allocator=none: listing its benchmarks: exit status 3: cannot load",
		"Malloc/setting=bad/op=malloc/size=8: INVALID: M_BAD: no effect"}
	if !slices.Equal(failed, want) {
		t.Errorf("failures %q", failed)
	}
}

func TestGoogleSample(t *testing.T) {
	c := plan.Case{Name: "Malloc/setting=trim0/op=malloc/size=8", Base: "Malloc/setting=trim0/op=malloc/size=8",
		Call: "Malloc/op=malloc/size=8", N: 40, Args: []string{"-mM_TRIM_THRESHOLD=0"}, Env: []string{"A=1"}}
	p := googlePlan()
	p.Cases = []plan.Case{c}
	executor := googleExecutor(t)
	target, _ := executor.Target(plan.Case{}, 0, 0)
	cmd := Command(p, plan.Task{N: 40}, target)
	if !slices.Contains(cmd.Args, "--iterations=40") || !slices.Contains(cmd.Args, "-mM_TRIM_THRESHOLD=0") ||
		!slices.Contains(cmd.Env, "A=1") {
		t.Errorf("args %q, env %q", cmd.Args, cmd.Env)
	}
	res, err := executor.Runner.Run(context.Background(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	h := harnessOf(p.Kind(c))
	r := h.parse(c, res).find(c.Name)
	if r == nil || r.Iters != 40 || math.Abs(secPerOp(r)-12.5e-9) > 1e-15 {
		t.Fatalf("%v of %s", r, res.Stdout)
	}
	if v, ok := r.Value("minor_faults"); !ok || v != 0.5 {
		t.Errorf("minor faults %v", v)
	}
	if o := h.parse(c, proc.Result{Stdout: []byte("not JSON")}); o.find(c.Name) != nil ||
		!strings.Contains(o.words[c.Base], "its output") {
		t.Errorf("nonsense: %+v", o)
	}
}

func TestVariantName(t *testing.T) {
	for _, c := range [][3]string{
		{"Malloc/op=walk/size=8", "allocator=glibc/setting=trim0",
			"Malloc/allocator=glibc/setting=trim0/op=walk/size=8"},
		{"Malloc/op=walk/setting=trim0-pad0", "allocator=glibc/setting=pad",
			"Malloc/allocator=glibc/setting=pad/op=walk"},
		{"Malloc", "", "Malloc"}, {"Malloc", "a=b", "Malloc/a=b"}, {"Malloc/8", "", "Malloc/8"},
	} {
		if got := plan.VariantName(c[0], c[1]); got != c[2] {
			t.Errorf("%s with %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

func TestPatternOfAWholeName(t *testing.T) {
	for _, c := range []struct {
		bench, name string
		want        bool
	}{
		{"", "BenchmarkMalloc/a=1", true},
		{"Malloc/a=1", "BenchmarkMalloc/a=1/b=2", true},
		{"Malloc/a=2", "BenchmarkMalloc/a=1/b=2", false},
		{"Malloc/a=1/b=2/c", "BenchmarkMalloc/a=1/b=2", false},
		{"X|Malloc/.*/b", "BenchmarkMalloc/a=1/b=2", true},
	} {
		p, err := plan.New(c.bench)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Full(c.name); got != c.want {
			t.Errorf("%q on %s: %v", c.bench, c.name, got)
		}
	}
}
