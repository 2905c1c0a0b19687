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

// Each machine loses more the weaker its memory is, or does not; here it is 80 GB/s or so
// (1e-11 sec per byte, drifting up by half) and twice the loss.
func TestAcross(t *testing.T) {
	st := claimStudy(t, [2]string{"claim", "C " + fallsClaim})
	at := func(name string, throughput, loss float64) File {
		return machineFile(name, throughput, loss, 512, 1024)
	}
	falls := []File{at("m", 40e9, 2.83), at("n", 20e9, 4.1), at("o", 10e9, 5.6), at("p", 5e9, 8.2)}
	rises := []File{at("m", 40e9, 1.4), at("n", 20e9, 1.01), at("o", 10e9, 0.7), at("p", 5e9, 0.51)}
	flat := []File{at("m", 40e9, 3), at("n", 20e9, 1.5), at("o", 10e9, 3.2), at("p", 5e9, 1.4)}
	for _, tt := range []struct {
		name   string
		others []File
		want   Status
		why    string
		slope  float64
	}{
		{"the weaker the more", falls, Holds, "", -0.5},
		{"the weaker the less", rises, Fails, "", 0.5},
		{"in no order", flat, Undecided, "", 0},
		{"three kinds decide nothing", falls[:2], Undecided, "3 kinds of machines", -0.5},
		{"nor do two", falls[:1], Undecided, "2 kinds of machines", -0.5},
		{"five data sets of two kinds", []File{falls[0], falls[0], falls[0], falls[0], falls[0]}, Undecided,
			"2 kinds of machines", -0.5},
		{"no size in common", []File{machineFile("m", 1e9, 6, 4096)}, Untested, NoMachine, 0},
		{"over the common sizes alone", []File{machineFile("m", 40e9, 2.83, 1024, 4096, 1<<20), falls[1], falls[2],
			falls[3]}, Holds, "", -0.5},
		{"nobody else", nil, Untested, NoMachine, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLab(1)
			l.places(30, 0.02, always(2), 512, 1024)
			v := JudgeArms(Study{Name: "s", Written: st}, l.set, []string{"a"}, 0.05,
				JudgePublished(st, tt.others))[0].Verdicts[0]
			if v.Status != tt.want || v.Why != tt.why {
				t.Fatalf("%s (%s), want %s (%s): %+v", v.Status, v.Why, tt.want, tt.why, v)
			}
			if tt.want == Untested {
				return
			}
			e := v.Elements[v.Deciding]
			if math.Abs(e.Figure-tt.slope) > 0.1 || !e.Interval.Contains(e.Figure) {
				t.Errorf("slope %v %v, want %v", e.Figure, e.Interval, tt.slope)
			}
			if len(v.Elements) != 1+len(tt.others) {
				t.Errorf("%d elements beside %d others", len(v.Elements), len(tt.others))
			}
		})
	}
}

// Both sides of a ratio of ratios have an error: its interval is wider than either.
func TestAcrossTwoMeasuredMachines(t *testing.T) {
	st := claimStudy(t, [2]string{"claim", "C " + fallsClaim})
	measured := func(seed uint64, noise, loss float64) *Data {
		l := newLab(seed)
		l.places(30, noise, always(loss), 512, 1024)
		return JudgeArms(Study{Name: "s", Written: st}, l.set, []string{"a"}, 0.05, nil)[0].Data
	}
	a, b := measured(1, 0.02, 2), measured(2, 0.1, 2.02)
	b.Name = "other"
	for _, c := range b.Cases { // a weaker machine, and one that scatters more
		for i, v := range c.Values("sec/op") {
			c.Values("sec/op")[i] = 3 * v
		}
	}
	v := Across(st.Claims[0], a, []*Data{b})
	e := v.Elements[1]
	one := Element{}
	for _, d := range []*Data{a, b} {
		s := new(Verdict).sides(st.Claims[0], d)
		one.Interval = s.loss(s.pairs).Interval
		if w, n := math.Log(e.Interval.Hi/e.Interval.Lo), math.Log(one.Interval.Hi/one.Interval.Lo); w <= n {
			t.Errorf("the ratio has a width of %v, one side alone %v", w, n)
		}
	}
	if e.Status != Undecided || !e.Interval.Contains(1.01) {
		t.Errorf("%+v", e)
	}
}

// A round in which one size is missing tells nothing of the mean over the sizes.
func TestAcrossJoinsRounds(t *testing.T) {
	st := claimStudy(t, [2]string{"claim", "C " + fallsClaim})
	l := newLab(1)
	l.places(30, 0.02, always(2), 512, 1024)
	for round := 30; round < 60; round++ { // only one of the sizes, with another ratio
		l.add("X/place=stack/size=512-2", "a", "", round, sec(1))
		l.add("X/place=heap/size=512-2", "a", "", round, sec(9))
	}
	v := JudgeArms(Study{Name: "s", Written: st}, l.set, []string{"a"}, 0.05,
		JudgePublished(st, []File{machineFile("m", 1e6, 6, 512, 1024)}))[0].Verdicts[0]
	if len(v.Elements) != 2 || v.Elements[1].N != 29 || !strings.HasPrefix(v.Elements[1].Label, "against m") {
		t.Errorf("%+v", v)
	}
}
