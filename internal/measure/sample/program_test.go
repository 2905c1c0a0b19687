package sample

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// A program that takes a number is asked for as many operations as a sample takes; one
// without, for its whole run.
func TestProgramsThatCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	const text = "#!/bin/sh\necho \"BenchmarkP/what=$1 ${2:-1} 1000 ns/op\"\n" // a microsecond an operation
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	l := &Executor{Runner: &proc.Runner{}, Target: func(plan.Case, int, int) (Target, error) {
		return Target{Path: path, Env: os.Environ()}, nil
	}}
	p := &plan.Plan{Options: plan.Options{Sample: 10 * time.Millisecond, Timeout: 10 * time.Second},
		Sides: []plan.Side{{Name: "a"}}, Studies: []plan.Study{{Name: "s", Programs: []language.Program{
			{Case: "P/what=counts", Dir: "p", Args: []string{"counts", "{n}"}},
			{Case: "P/what=whole", Dir: "p", Args: []string{"whole"}}}}}}
	h := program{}
	if err := h.list(t.Context(), l, p, 0); err != nil {
		t.Fatal(err)
	}
	for i := range p.Cases {
		if err := h.calibrate(t.Context(), l, p, &p.Cases[i]); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.Cases) != 2 || len(p.Failures) != 0 {
		t.Fatalf("%+v, failures %+v", p.Cases, p.Failures)
	}
	if c := p.Cases[0]; math.Abs(float64(c.N)-10_000) > 2 || c.Short != 0 {
		t.Errorf("10 ms of a microsecond each are %d operations, Short %v", c.N, c.Short)
	}
	if c := p.Cases[1]; c.N != 1 {
		t.Errorf("a whole run is %d operations", c.N)
	}
	cmd := Command(p, plan.Task{Case: 0, N: 2500}, Target{Path: path})
	if len(cmd.Args) != 2 || cmd.Args[1] != "2500" {
		t.Errorf("arguments %q for a quarter", cmd.Args)
	}
}
