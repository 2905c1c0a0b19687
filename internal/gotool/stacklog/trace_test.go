package stacklog

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
)

// testdata/goV.trace and goV-traced.log are of one run of a program that traces
// itself, with the runtime's stack log on.
func TestTraceAgreesWithLog(t *testing.T) {
	for _, v := range []string{"go1.23.12", "go1.27.4"} {
		log := readText(t, captured(t, v+"-traced.log"), Options{From: "trace begins", Until: "trace ends"})
		traced, err := ReadTrace(strings.NewReader(captured(t, v+".trace.gz")), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Agree(log, traced, 0.01); err != nil || traced.Grows.N < 50 || traced.Shrinks.N < 10 ||
			traced.Damaged != 0 {
			t.Errorf("%s: %v\n%+v", v, err, Compare(log, traced))
		}
		for _, c := range traced.Chains {
			if !slices.ContainsFunc(log.Chains, func(other Chain) bool { return reflect.DeepEqual(c, other) }) {
				t.Errorf("%s: chain %v is not in the log's %v", v, c, log.Chains)
			}
		}
	}
}

func TestAgree(t *testing.T) {
	log := readText(t, strings.Repeat(growth, 1000), Options{})
	traced := *log
	traced.Steps = append([]Step(nil), log.Steps...)
	traced.Grows.N, traced.Steps[0].N = 990, 990
	if err := Agree(log, &traced, 0.01); err != nil {
		t.Error(err)
	}
	traced.Grows.N, traced.Steps[0].N = 989, 989
	if err := Agree(log, &traced, 0.01); err == nil ||
		!strings.Contains(err.Error(), "growths: 1000 by the log, 989 by the trace (1.1% off)") {
		t.Error(err)
	}
	traced.Grows.N, traced.Steps[0].N, traced.Steps[0].To = 1000, 1000, 8192 // as many, of other sizes
	err := Agree(log, &traced, 0.01)
	if err == nil || !strings.Contains(err.Error(), "2000 of 2000 differ") {
		t.Error(err)
	}
	few := readText(t, strings.Repeat(growth, 10), Options{})
	other := *few
	other.Allocs.N, other.Frees.N = few.Allocs.N-edge, few.Frees.N-edge-1
	if err := Agree(few, &other, 0.01); err == nil || strings.Contains(err.Error(), "allocated:") ||
		!strings.Contains(err.Error(), "stacks freed: 10 by the log, 5") {
		t.Error(err)
	}
}

func TestTraceDamaged(t *testing.T) {
	whole := captured(t, "go1.27.4.trace.gz")
	for _, n := range []int{0, 5, 16, 100, len(whole) / 2, len(whole) - 10} {
		l, err := ReadTrace(strings.NewReader(whole[:n]), Options{})
		if err == nil && len(l.Warnings) == 0 {
			t.Errorf("cut at %d of %d: neither an error nor a warning", n, len(whole))
		}
	}
	if _, err := ReadTrace(strings.NewReader(growth), Options{}); err == nil {
		t.Error("a log was read as a trace")
	}
}

// A trace of a program without GODEBUG=traceallocfree=1.
func TestTraceWithoutStacks(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "traceallocfree=1") {
		t.Skip("GODEBUG=traceallocfree=1 is set")
	}
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Skip(err) // go test -trace
	}
	trace.Stop()
	l, err := ReadTrace(&b, Options{})
	if err != nil || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0].Error(), "traceallocfree=1") {
		t.Errorf("%v, %v", err, l.Warnings)
	}
}

func TestRecords(t *testing.T) {
	l := readText(t, captured(t, "go1.13.15-array.log"), Options{})
	got := map[string]map[string]float64{}
	for _, r := range l.Records("StackGrowth/program=array") {
		values := map[string]float64{}
		for _, v := range r.Values {
			values[v.Unit] = v.Value
		}
		got[string(r.Name)] = values
	}
	total := got["StackGrowth/program=array"]
	if len(got) != 14 || total["grows"] != 13 || total["steps"] != 13 || total["smallest-B"] != 2048 ||
		total["largest-B"] != 16<<20 || total["copied-B"] != 2600 {
		t.Errorf("got %v", got)
	}
	for size := 2048; size < 16<<20; size *= 2 {
		name := fmt.Sprintf("StackGrowth/program=array/event=grow/from=%d/to=%d", size, 2*size)
		if step := got[name]; step["times"] != 1 || step["factor"] != 2 || step["used-B"] != 200 {
			t.Errorf("%s: %v", name, step)
		}
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add([]byte(captured(f, "go1.23.12.trace.gz")))
	f.Add([]byte("go 1.26 trace\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if l, err := ReadTrace(bytes.NewReader(text), Options{}); err == nil && l.Frees.N > l.Own {
			t.Errorf("not possible: %+v", l)
		}
	})
}
