package sample

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
)

// Where another process had the CPU in the middle of a short calibration, N is that of the undisturbed one: with a tenth
// of the iterations the case would be refused for its short loop.
func TestShortCalibrationIsRepeated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	const text = "#!/bin/sh\nif mkdir \"$0.first\" 2>/dev/null; then cost=12000; else cost=1000; fi\n" +
		"printf 'BenchmarkOne\\t1000\\t%d ns/op\\t0 B/op\\t0 allocs/op\\nPASS\\n' $cost\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	l := &Executor{Runner: &proc.Runner{}, Target: func(plan.Case, int, int) (Target, error) {
		return Target{Path: path, Env: os.Environ()}, nil
	}}
	for sample, want := range map[time.Duration]float64{2 * time.Millisecond: 2000, 80 * time.Millisecond: 80_000} {
		os.Remove(path + ".first")
		p := &plan.Plan{Options: plan.Options{Sample: sample, Timeout: 10 * time.Second}, Sides: []plan.Side{{Name: "a"}},
			Studies: []plan.Study{{Name: "s"}}, Cases: []plan.Case{{Name: "One", Base: "One"}}}
		if sample > 4*shortPart { // one calibration is enough: the disturbance is not there
			if err := os.Mkdir(path+".first", 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := (goTest{}).calibrate(t.Context(), l, p, &p.Cases[0]); err != nil {
			t.Fatal(err)
		}
		if n := float64(p.Cases[0].N); len(p.Failures) > 0 || math.Abs(n-want) > 2 {
			t.Errorf("%v of a microsecond each are %v operations, want %v (failures %v)", sample, n, want, p.Failures)
		}
	}
}
