package sample

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// The CPU time of a load that was put beside a sample on purpose is no other program's:
// what is left is what the process and the load did not use.
func TestLoadIsNotForeign(t *testing.T) {
	used := proc.Usage{User: 400 * time.Millisecond, Sys: 100 * time.Millisecond}
	for _, tt := range []struct {
		name          string
		busyKey       string
		busy          float64 // CPU seconds of the whole machine
		load          time.Duration
		foreign       float64
		loadIsWritten bool
	}{
		{"alone", "", 0.5, 0, 0, false},
		{"other programs", "", 1.25, 0, 0.75, false},
		{"a load", "1", 1.5, time.Second, 0, true},
		{"a load and other programs", "1", 1.75, time.Second, 0.25, true},
		{"ticks that come late", "all", 2.46, 2 * time.Second, 0, true},
		{"asked for no load", "0", 0.5, 0, 0, true},
		{"beside the whole run", "", 1.5, time.Second, 0, true},
		{"unknown", "1", math.NaN(), time.Second, math.NaN(), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &Engine{Plan: &plan.Plan{Cases: []plan.Case{{Busy: tt.busyKey}}}}
			r := &benchfmt.Result{}
			e.addCosts(r, plan.Task{}, proc.Result{Usage: used, Wall: time.Second},
				machine.Interference{Wall: 1, Busy: tt.busy}, tt.load)
			foreign, has := r.Value(series.UnitForeign)
			if has == math.IsNaN(tt.foreign) || has && math.Abs(foreign-tt.foreign) > 1e-9 {
				t.Errorf("foreign %v (%v), want %v", foreign, has, tt.foreign)
			}
			if v, has := r.Value(series.UnitLoad); has != tt.loadIsWritten || v != tt.load.Seconds() {
				t.Errorf("load %v, %v", v, has)
			}
		})
	}
}

func TestBesideLoads(t *testing.T) {
	cases := []plan.Case{
		{Name: "A/size=1-2", Base: "A/size=1", Procs: 2},
		{Name: "B-2", Base: "B", Procs: 2},
		{Study: 1, Name: "A/size=1-2", Base: "A/size=1", Procs: 2},
	}
	l := &Executor{CPUs: 3, Loads: func(c plan.Case) []string {
		if c.Study == 0 && c.Base == "A/size=1" {
			return []string{"0", "all"}
		}
		return nil
	}}
	got, err := l.besideLoads(cases)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range got {
		names = append(names, c.Name)
	}
	if want := []string{"A/busy=0/size=1-2", "A/busy=all/size=1-2", "B-2", "A/size=1-2"}; !slices.Equal(names, want) ||
		got[0].Spinning != 0 || got[1].Spinning != 3 {
		t.Errorf("%q, want %q; %+v", names, want, got)
	}
	if first := firstOfEach(got); !slices.Equal(first, []int{0, 0, 2, 3}) {
		t.Errorf("calibrated as %v", first)
	}
	l.Loads = func(plan.Case) []string { return []string{"1"} }
	_, err = l.besideLoads([]plan.Case{{Name: "A/busy=7-2", Base: "A/busy=7"}})
	if !hint.IsUsage(err) || !strings.Contains(err.Error(), "busy=") {
		t.Errorf("a key of the benchmark's own: %v", err)
	}
}

// A context that has ended ends the wait for a load, too.
func TestNoLoadAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l, err := startLoad(ctx, nil, plan.Case{Spinning: 1}); err == nil {
		l.Stop()
		t.Error("it was started")
	}
}
