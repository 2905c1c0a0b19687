package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// leastCaught is the number of planted faults that the guards must catch. It may not fall.
const leastCaught = 14

// A planted fault is a way in which a benchmark can be wrong. It is caught when what memcost
// says of the case holds a text; of its sound twin it must not.
type planted struct {
	what        string
	fault, twin string
	says        []string // any of them, in a flag or in the reason of an INVALID case
	invalid     bool     // the fault must be INVALID
}

var plantedFaults = []planted{
	{"the body was removed", "BodyRemoved", "BodyKept", []string{"optimised away", "hardly anything"}, false},
	{"the allocation vanished", "AllocationVanished", "AllocationKept", []string{"optimised away",
		"hardly anything"}, false},
	{"the copy was hoisted", "CopyHoisted", "CopyDone", []string{"faster than memory"}, true},
	{"the work grows with N in Go", "WorkGrows", "WorkConstant", []string{"depends on the number"}, true},
	{"the work grows with N in a program", "Program/grows=yes", "Program/grows=no",
		[]string{"depends on the number"}, true},
	{"a goroutine was left over", "GoroutineLeaks", "GoroutineEnds", []string{"left 1 goroutine over"}, false},
	{"garbage from before is collected in the loop", "DebtLeft", "DebtPaid",
		[]string{"that were allocated before it"}, false},
	{"memory is touched for the first time in the loop", "FirstTouch", "TouchedBefore",
		[]string{"first touches of memory"}, false},
	{"one operation in ten allocates", "OneInTen", "Each", []string{"one operation of 10"}, false},
	{"the timer is stopped in the loop", "TimerInLoop", "TimerOutside", []string{"the timer is started"}, false},
}

// TestPlantedFaults runs packages and programs that are wrong as a user would, and counts
// how many of the faults the guards catch.
func TestPlantedFaults(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") == "" {
		t.Skip("it measures for half a minute: make test-long")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/planted")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	// The guards are statistics, and a machine can be busy for half a minute: what goes wrong
	// has to go wrong twice.
	var wrong []string
	for attempt := range 2 {
		t.Setenv("COUNTER", filepath.Join(dir, fmt.Sprintf("count-%d-", attempt)))
		if wrong = plantFaults(t); len(wrong) == 0 {
			return
		}
		t.Logf("attempt %d:\n%s", attempt+1, strings.Join(wrong, "\n"))
	}
	t.Errorf("%d of the planted faults are missed, or their sound twins flagged, twice", len(wrong))
}

// plantFaults measures all of them, and returns what went wrong.
func plantFaults(t *testing.T) (wrong []string) {
	caught, all := 0, 0
	report := func(what string, found, falsely bool, says string) {
		all++
		switch {
		case falsely:
			wrong = append(wrong, fmt.Sprintf("%s: the sound twin is flagged: %s", what, says))
		case !found:
			wrong = append(wrong, fmt.Sprintf("missed: %s: %s", what, says))
		default:
			caught++
			t.Logf("caught: %s: %s", what, says)
		}
	}

	a := plantedRun(t, "./faults", "--sample=5ms", "--rounds=16", "--cpu=1")
	for _, f := range plantedFaults {
		found, says := f.said(a, f.fault, "")
		falsely, why := f.said(a, f.twin, "")
		if falsely {
			says = why
		}
		report(f.what, found, falsely, says)
	}
	// The process that measures a case runs no other one.
	state, ok := metric(a, "StateSeen", "passed")
	report("state passes from case to case", ok && state == 0, false, fmt.Sprintf("%v of StateLeft's was seen", state))

	a = plantedRun(t, "./arms", "--sample=20ms", "--rounds=10", "--cpu=1", "--vary=FAST=1", "-b", "Long|Short")
	short := planted{says: []string{"raise --sample"}, invalid: true}
	found, says := short.said(a, "ShortOnOneArm", "FAST=1")
	falsely, why := short.said(a, "LongOnBoth", "")
	if falsely {
		says = why
	}
	report("the loop is under a millisecond on one side", found, falsely, says)

	a = plantedRun(t, "./arms", "--sample=10ms", "--rounds=24", "--cpu=1", "--no-guards", "--vary=SAME=1",
		"--slices=0", "-b", "Clock") // in slices each side is first in half of them
	clock := planted{says: []string{"comes first in a round"}}
	found, says = clock.said(a, "ClockDrops", "")
	falsely, why = clock.said(a, "ClockStays", "")
	if falsely {
		says = why
	}
	if !found && !calledChanged(a, "ClockDrops") { // the coin alone was enough
		says = "not shown"
	}
	report("the clock drops for whoever comes first", found && !calledChanged(a, "ClockDrops"), falsely, says)

	least := leastCaught
	if found, falsely, says, why := plantedCPP(t); why != "" {
		least--
		t.Log("not tried: the work grows with N in C++: " + why)
	} else {
		report("the work grows with N in C++", found, falsely, says)
	}
	fmt.Printf("caught %d of %d\n", caught, all)
	if caught < least && len(wrong) == 0 {
		wrong = append(wrong, fmt.Sprintf("caught %d of %d planted faults: %d were caught before", caught, all, least))
	}
	return wrong
}

// plantedRun is one memcost run of a package, and its answer.
func plantedRun(t *testing.T, args ...string) *result.Answer {
	t.Helper()
	results := t.TempDir()
	var out bytes.Buffer
	args = append([]string{"run", "--layouts=1", "--seed=1", "--results", results}, args...)
	if status := Main(t.Context(), args, strings.NewReader(""), &out, &out); status > 1 {
		t.Fatalf("memcost %q: status %d\n%s", args, status, out.String())
	}
	runs, err := filepath.Glob(filepath.Join(results, "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("run folders %q, %v\n%s", runs, err, out.String())
	}
	a, err := result.Read(runs[0], result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// said looks for what is said of a case on a side, "" for any.
func (f planted) said(a *result.Answer, name, side string) (bool, string) {
	says := "nothing is said of " + name
	for _, s := range a.Studies {
		for _, c := range s.Cases {
			if c.Name != name || !strings.Contains(c.Side, side) {
				continue
			}
			about := c.Invalid
			if !f.invalid {
				about = append(about, c.Flags...)
			}
			for _, why := range about {
				for _, text := range f.says {
					if strings.Contains(why, text) {
						return true, why
					}
				}
				says = why
			}
		}
	}
	return false, says
}

func metric(a *result.Answer, name, unit string) (float64, bool) {
	for _, c := range a.Studies[0].Cases {
		if c.Name == name {
			v, ok := c.Metrics[unit]
			return float64(v), ok
		}
	}
	return 0, false
}

func calledChanged(a *result.Answer, name string) bool {
	for _, c := range a.Studies[0].Cases {
		if c.Name == name && c.VsFirst != nil && c.VsFirst.Difference == claim.Changed {
			return true
		}
	}
	return false
}

// plantedCPP measures a C++ program on Google Benchmark with the engine of memcost run. why
// says why it cannot.
func plantedCPP(t *testing.T) (found, falsely bool, says, why string) {
	dir := t.TempDir()
	program := filepath.Join(dir, "planted_bench")
	out, err := exec.Command("g++", "-O2", "-o", program, "planted.cc", "-lbenchmark", "-lpthread").CombinedOutput()
	if err != nil {
		return false, false, "", fmt.Sprintf("no C++ compiler with Google Benchmark here: %v: %s", err, out)
	}
	p := &plan.Plan{
		Options: plan.Options{Seed: 1, Alpha: plan.Alpha, Precision: 0.03, Sample: 5 * time.Millisecond,
			Timeout: time.Minute, Rounds: plan.QuarterRounds, Layouts: 1},
		Sides:   []plan.Side{{Name: "g++", Toolchain: "g++"}},
		Studies: []plan.Study{{Name: "planted", Google: true, Sides: []int{0}, Variants: []language.Variant{{}}}},
	}
	executor := &sample.Executor{Runner: &proc.Runner{}, Target: func(plan.Case, int, int) (sample.Target, error) {
		return sample.Target{Path: program, Dir: dir, Env: os.Environ()}, nil
	}}
	if err := executor.Discover(t.Context(), p, func(int, int) {}); err != nil || len(p.Cases) != 2 {
		t.Fatalf("%d cases, %v, %+v", len(p.Cases), err, p.Failures)
	}
	p.Link(nil)
	p.ChooseSuspects()
	return measureCPP(t, p, executor)
}

func measureCPP(t *testing.T, p *plan.Plan, executor *sample.Executor) (found, falsely bool, says, why string) {
	q := &plan.Question{Format: plan.Format, Plan: *p}
	folder, err := store.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := folder.WriteQuestion(q); err != nil {
		t.Fatal(err)
	}
	studies, err := claim.Studies(q)
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := machine.NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	defer sampler.Close()
	e := &sample.Engine{Plan: p, Studies: studies, Executor: executor, Folder: folder, Sampler: sampler}
	if _, err := e.Run(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	a, err := result.Read(folder.Dir, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := planted{says: []string{"depends on the number"}, invalid: true}
	found, says = f.said(a, "Work/grows=yes", "")
	if falsely, why = f.said(a, "Work/grows=no", ""); falsely {
		says = why
	}
	return found, falsely, says, ""
}
