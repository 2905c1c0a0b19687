package sample

import (
	"context"
	"slices"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/study/language"

	"golang.org/x/perf/benchfmt"
)

// A C++ program beside a study in Go gives cases of the same study on its configurations, once
// for each GOMAXPROCS; they are run and read as those of a C++ study, and say who compiled them.
func TestCasesBesideGo(t *testing.T) {
	p := googlePlan(language.Variant{Keys: "op=malloc", Env: []string{"A=1"}})
	p.Studies[0].Google = false
	p.Studies[0].Beside = &plan.Beside{Dir: language.BesideDir, Compiler: "g++ 12.2.0"}
	p.Options.CPU = []int{1, 4}
	if kind := p.Studies[0].Kind(); kind != plan.GoTest {
		t.Fatalf("the suite is of kind %v", kind)
	}
	executor := googleExecutor(t)
	var asked []bool
	inner := executor.Target
	executor.Target = func(c plan.Case, arm, layout int) (Target, error) {
		asked = append(asked, c.CPP)
		return inner(c, arm, layout)
	}
	if err := harnessOf(plan.GoogleBenchmark).list(context.Background(), executor, p, 0); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, c := range p.Cases {
		names = append(names, c.Name)
		if !c.CPP || p.Kind(c) != plan.GoogleBenchmark || c.Procs != []int{1, 4}[i%2] {
			t.Errorf("%s is of kind %v with GOMAXPROCS %d", c.Name, p.Kind(c), c.Procs)
		}
	}
	if want := []string{"Malloc/op=malloc/size=8", "Malloc/op=malloc/size=8-4"}; !slices.Equal(names, want) {
		t.Errorf("cases %q, want %q", names, want)
	}
	if slices.Contains(asked, false) {
		t.Error("the binary of the Go benchmarks was asked for cases in C++")
	}
	for i := range p.Cases {
		if err := (googleBenchmark{}).calibrate(context.Background(), executor, p, &p.Cases[i]); err != nil {
			t.Fatal(err)
		}
		if p.Cases[i].N < 100_000 {
			t.Errorf("%s: N = %d", p.Cases[i].Name, p.Cases[i].N)
		}
	}
	e := &Engine{Plan: p}
	r := &benchfmt.Result{Name: benchfmt.Name(p.Cases[0].Name)}
	e.describe(r, plan.Task{}, "")
	if got := r.GetConfig(series.KeyCompiler); got != "g++ 12.2.0" {
		t.Errorf("its record says compiler %q", got)
	}
}
