package machine

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	at := time.Now()
	a := Snapshot{At: at, Steal: 1, Busy: 10, Idle: 5, PSICPU: 2, PSIMemory: math.NaN(), PSIIO: 3}
	b := Snapshot{At: at.Add(2 * time.Second), Steal: 0.5, Busy: 13, Idle: 6, PSICPU: 2.5, PSIMemory: math.NaN(),
		PSIIO: 3}
	i := a.Until(b)
	if i.Wall != 2 || i.Steal != 0 || i.Busy != 3 || i.PSICPU != 0.5 || !math.IsNaN(i.PSIMemory) || i.PSIIO != 0 {
		t.Errorf("between %+v and %+v: %+v", a, b, i)
	}
	want := []string{"psi-memory"}
	if !slices.Equal(a.Missing(), want) || !slices.Equal(i.Missing(), want) {
		t.Errorf("missing %q and %q, want %q", a.Missing(), i.Missing(), want)
	}
	if f := i.Foreign(1); f != 2 {
		t.Errorf("3 busy seconds of which 1 our own: %v foreign", f)
	}
	if f := i.Foreign(3.004); f != 0 {
		t.Errorf("own time beyond the tick: %v foreign, want 0", f)
	}
	if f := (Interference{Busy: math.NaN()}).Foreign(1); !math.IsNaN(f) {
		t.Errorf("busy unknown: %v foreign, want NaN", f)
	}
}

func TestUnknownSnapshot(t *testing.T) {
	if got := unknownSnapshot(time.Now()).Missing(); len(got) != 5 {
		t.Errorf("an unknown snapshot misses %q, want all five", got)
	}
}

// Missing names the counters this machine does not have.
func (a Snapshot) Missing() []string {
	return missing(a.Steal, a.Busy, a.PSICPU, a.PSIMemory, a.PSIIO)
}

// Missing names the figures this machine cannot give.
func (i Interference) Missing() []string {
	return missing(i.Steal, i.Busy, i.PSICPU, i.PSIMemory, i.PSIIO)
}

func missing(steal, busy, cpu, memory, io float64) []string {
	var names []string
	for _, c := range []struct {
		name  string
		value float64
	}{{"steal", steal}, {"busy", busy}, {"psi-cpu", cpu}, {"psi-memory", memory}, {"psi-io", io}} {
		if math.IsNaN(c.value) {
			names = append(names, c.name)
		}
	}
	return names
}

// What memcost itself does while a sample runs is no other program's.
func TestWithout(t *testing.T) {
	all := Interference{Wall: 1, Busy: 1.5}
	for ours, want := range map[float64]float64{0: 0.5, 0.4: 0.1, 2: 0, math.NaN(): 0.5} {
		if got := all.Without(ours).Foreign(1); math.Abs(got-want) > 1e-9 {
			t.Errorf("of 1.5 CPU seconds, 1 the program's and %g ours, %g are others'; want %g", ours, got, want)
		}
	}
}
