package claim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

const fallsClaim = "place:heap / place:stack falls with place:stack size/sec across machines"

// machine is a published data set with a throughput and a loss.
func machineFile(name string, throughput, loss float64, sizes ...int) File {
	f := File{Name: name}
	for _, size := range sizes {
		cost := float64(size) / throughput
		for place, c := range map[string]float64{"stack": cost, "heap": cost * loss} {
			f.Results = append(f.Results,
				&benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("X/place=%s/size=%d-8", place, size)),
					Iters: 1, Values: []benchfmt.Value{{Value: c, Unit: "sec/op"}}})
		}
	}
	return f
}

func TestAcross(t *testing.T) {
	st := study(t, [2]string{"claim", "C " + fallsClaim})
	// Here: 80 GB/s or so (1e-11 sec per byte, drifting up by half), twice the loss.
	for _, tt := range []struct {
		name   string
		others []File
		want   Status
		figure float64
	}{
		{"weaker memory loses more", []File{machineFile("m", 1e9, 6, 512, 1024)}, Holds, 3},
		{"stronger memory loses less", []File{machineFile("m", 1e12, 1.5, 512, 1024)}, Holds, 2 / 1.5},
		{"weaker memory loses less", []File{machineFile("m", 1e9, 1.2, 512, 1024)}, Fails, 0.6},
		{"one of two contradicts", []File{machineFile("m", 1e9, 6, 512, 1024), machineFile("n", 1e12, 6, 512, 1024)},
			Fails, 2. / 6},
		{"as strong", []File{machineFile("m", 80e9, 6, 512, 1024)}, Untested, 0},
		{"no size in common", []File{machineFile("m", 1e9, 6, 4096)}, Untested, 0},
		{"over the common sizes alone", []File{machineFile("m", 1e9, 6, 1024, 4096, 1<<20)}, Holds, 3},
		{"nobody else", nil, Untested, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(1)
			l.places(30, 0.02, always(2), 512, 1024)
			v := JudgeArms(Suite{Name: "s", Study: st}, l.set, []string{"a"}, 0.05,
				JudgePublished(st, tt.others))[0].Verdicts[0]
			if v.Status != tt.want {
				t.Fatalf("%s, want %s: %+v", v.Status, tt.want, v)
			}
			if tt.want == Untested {
				return
			}
			e := v.Elements[v.Deciding]
			if math.Abs(e.Figure/tt.figure-1) > 0.03 || !e.Interval.Contains(e.Figure) {
				t.Errorf("figure %v %v, want %v", e.Figure, e.Interval, tt.figure)
			}
		})
	}
}

// A round in which one size is missing tells nothing of the mean over the sizes.
func TestAcrossJoinsRounds(t *testing.T) {
	st := study(t, [2]string{"claim", "C " + fallsClaim})
	l := newLab(1)
	l.places(30, 0.02, always(2), 512, 1024)
	for round := 30; round < 60; round++ { // only one of the sizes, with another ratio
		l.add("X/place=stack/size=512-2", "a", "", round, sec(1))
		l.add("X/place=heap/size=512-2", "a", "", round, sec(9))
	}
	v := JudgeArms(Suite{Name: "s", Study: st}, l.set, []string{"a"}, 0.05,
		JudgePublished(st, []File{machineFile("m", 1e6, 6, 512, 1024)}))[0].Verdicts[0]
	if len(v.Elements) != 1 || v.Elements[0].N != 30 || !strings.HasPrefix(v.Elements[0].Label, "against m") {
		t.Errorf("%+v", v)
	}
}
