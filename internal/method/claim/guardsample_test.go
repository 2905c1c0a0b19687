package claim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

func figured(v float64, unit string) benchfmt.Value { return benchfmt.Value{Value: v, Unit: unit} }

// floors adds what memcost measures of its own: 0.3 ns for an empty loop, 100 GB/s.
func (l *lab) floors(rounds int) {
	for round := range rounds {
		for _, x := range []struct {
			name string
			sec  float64
		}{{series.FloorEmpty, 0.3e-9}, {series.FloorLoop, 0.9e-9}, {series.FloorTimer, 45e-9},
			{series.FloorCopy, series.FloorCopySize / 100e9}} {
			r := &benchfmt.Result{Name: benchfmt.Name(x.name), Iters: 1000,
				Values: []benchfmt.Value{sec(l.noisy(x.sec, 0.02)), figured(float64(round), series.UnitRound)}}
			for _, kv := range [][2]string{{series.KeyStudy, series.FloorStudy}, {series.KeySide, "a"},
				{series.KeyRole, series.RoleFloor}} {
				r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
			}
			l.set.Add(r)
		}
	}
}

// guardedCase judges one case of a million iterations with the given figures.
func guardedCase(t *testing.T, users bool, st *language.Study, asked time.Duration, cost float64,
	values ...benchfmt.Value) (invalid, flags string) {
	t.Helper()
	l := newLab(uint64(cost * 1e12))
	l.floors(12)
	for round := range 12 {
		l.add("X/size=4096-2", "a", "", round, append([]benchfmt.Value{sec(l.noisy(cost, 0.02)),
			figured(1, series.UnitTimerStarts)}, values...)...)
	}
	j := JudgeArms(Study{Name: "s", Written: st, Setup: Setup{Users: users,
		Loop: func(string) time.Duration { return asked }}}, l.set, []string{"a"}, 0.05, nil)[0]
	return strings.Join(j.Invalid["X/size=4096-2"], "; "), strings.Join(j.Flags["X/size=4096-2"], "; ")
}

// A loop of 1,000,000 operations, each of cost seconds: what the guards say of it.
func TestGuardsOfSamples(t *testing.T) {
	const mega = 1 << 20
	plain := claimStudy(t)
	perSize := claimStudy(t, [2]string{"claim", "V * size/sec < 1 for every size"})
	faults := claimStudy(t, [2]string{"expect", "* loop-faults >= 0"})
	for _, tt := range []struct {
		name    string
		st      *language.Study
		asked   time.Duration
		cost    float64
		values  []benchfmt.Value
		invalid string
		flag    string
	}{
		{name: "sound", cost: 1e-6},
		{name: "short", asked: 20 * time.Millisecond, cost: 0.3e-9 * 2, flag: "hardly anything",
			invalid: "its loop takes "},
		{name: "short as calibrated", asked: 700 * time.Microsecond, cost: 0.6e-9, flag: "hardly anything"},
		{name: "long enough", asked: 20 * time.Millisecond, cost: 2e-9},
		{name: "nothing left", cost: 0.31e-9, invalid: "optimised away"},
		{name: "little left", cost: 0.6e-9, flag: "times an empty loop"},
		{name: "three floors", cost: 1.2e-9},
		{name: "b.Loop alone", cost: 0.9e-9, values: []benchfmt.Value{figured(1, series.UnitBLoop)},
			invalid: "optimised away"},
		{name: "goroutine", cost: 1e-6, values: []benchfmt.Value{figured(2, series.UnitGoroutinesLeft),
			figured(0.02, series.UnitGoroutinesLeftCPU)}, flag: "left 2 goroutines over"},
		{name: "busy goroutine", cost: 1e-6, values: []benchfmt.Value{figured(1, series.UnitGoroutinesLeft),
			figured(0.9, series.UnitGoroutinesLeftCPU)}, invalid: "keeps 0.9 CPUs busy"},
		{name: "debt", cost: 1e-6, values: []benchfmt.Value{bytes(16), allocs(1), figured(80*mega, series.UnitGCFreed),
			figured(9, series.UnitGCCycles), figured(4*mega, series.UnitHeapGoal)}, flag: "allocated before it"},
		{name: "no debt", cost: 1e-6, values: []benchfmt.Value{bytes(16), allocs(1), figured(15*mega,
			series.UnitGCFreed),
			figured(9, series.UnitGCCycles), figured(4*mega, series.UnitHeapGoal)}},
		{name: "no collection", cost: 1e-6, values: []benchfmt.Value{bytes(16), allocs(1), figured(0,
			series.UnitGCFreed),
			figured(0, series.UnitGCCycles), figured(40*mega, series.UnitHeapGoal)}, flag: "no collection ran"},
		{name: "collector off", cost: 1e-6, values: []benchfmt.Value{bytes(16), allocs(1), figured(0,
			series.UnitGCFreed),
			figured(0, series.UnitGCCycles), figured(0, series.UnitHeapGoal)}},
		{name: "faults", cost: 1e-6, values: []benchfmt.Value{figured(500_000, series.UnitLoopFaults)},
			flag: "at least 12% of its time"},
		{name: "faults that are expected", st: faults, cost: 1e-6,
			values: []benchfmt.Value{figured(500_000, series.UnitLoopFaults)}},
		{name: "few faults", cost: 1e-6, values: []benchfmt.Value{figured(100_000, series.UnitLoopFaults)}},
		{name: "one in ten", cost: 1e-6, values: []benchfmt.Value{allocs(0.1)}, flag: "one operation of 10"},
		{name: "runtime's own", cost: 1e-6, values: []benchfmt.Value{allocs(0.00001)}},
		{name: "SetBytes", cost: 1e-9 * 2, values: []benchfmt.Value{figured(1e15, "B/s")},
			invalid: "faster than memory"},
		{name: "a wide read", cost: 1e-9 * 2, values: []benchfmt.Value{figured(400e9, "B/s")}},
		{name: "size/sec", st: perSize, cost: 2e-9, invalid: "faster than memory"},
		{name: "size/sec that can be", st: perSize, cost: 40e-9},
	} {
		st := tt.st
		if st == nil {
			st = plain
		}
		invalid, flag := guardedCase(t, true, st, tt.asked, tt.cost, tt.values...)
		for _, x := range [][2]string{{invalid, tt.invalid}, {flag, tt.flag}} {
			if (x[1] == "") != (x[0] == "") || !strings.Contains(x[0], x[1]) {
				t.Errorf("%s: says %q, want %q", tt.name, x[0], x[1])
			}
		}
	}
	// What one would say of a user's package, a study states where it means it.
	if invalid, flags := guardedCase(t, false, plain, 0, 1e-6, allocs(0.1)); invalid+flags != "" {
		t.Errorf("a study: %q, %q", invalid, flags)
	}
}

// A timer that is started in the loop, and once.
func TestGuardTimer(t *testing.T) {
	for starts, want := range map[float64]string{1: "", 1e6: "about 4.5% of the time is the timer's own"} {
		l := newLab(1)
		l.floors(12)
		for round := range 12 {
			l.add("X-2", "a", "", round, sec(1e-6), figured(starts, series.UnitTimerStarts))
		}
		flags := fmt.Sprint(JudgeArms(Study{Name: "s", Written: claimStudy(t)}, l.set, []string{"a"}, 0.05,
			nil)[0].Flags["X-2"])
		if (want == "") != (flags == "[]") || !strings.Contains(flags, want) {
			t.Errorf("%v starts: %s", starts, flags)
		}
	}
}

// The likely cause of a drift is what else differs.
func TestDriftCauses(t *testing.T) {
	for i, tt := range []struct {
		ratio          float64 // cost per op at N/4 over that at N
		short, full    []benchfmt.Value
		invalid, flags string
	}{
		{ratio: 0.3, invalid: grows},
		{ratio: 3, invalid: oneOff},
		{ratio: 3, short: []benchfmt.Value{figured(8e6, series.UnitLoopFaults)}, invalid: firstTouch},
		{ratio: 2, short: []benchfmt.Value{bytes(100)}, full: []benchfmt.Value{bytes(50)}, invalid: growing},
		{ratio: 2, short: []benchfmt.Value{bytes(50), figured(1, series.UnitGCCycles)},
			full: []benchfmt.Value{bytes(50), figured(4, series.UnitGCCycles),
				figured(1e7, series.UnitHeapGoal)}, flags: "4 collections in a sample"},
		// CPU time is what counts: a busy machine takes longer over the long sample alone.
		{ratio: 0.3, short: []benchfmt.Value{figured(0.3e-6, series.UnitCPU)},
			full: []benchfmt.Value{figured(0.3e-6, series.UnitCPU)}},
	} {
		l := newLab(uint64(i))
		l.set = series.New(func(string, string) int { return 0 }, Units(claimStudy(t))...)
		for round := range 16 {
			l.add("X-2", "a", "", round, append([]benchfmt.Value{sec(l.noisy(1e-6, 0.02))}, tt.full...)...)
			l.add("X-2", "a", "quarter", round, append([]benchfmt.Value{sec(l.noisy(tt.ratio*1e-6, 0.02))},
				tt.short...)...)
		}
		j := l.judge(t, claimStudy(t))
		invalid, flags := strings.Join(j.Invalid["X-2"], "; "), strings.Join(j.Flags["X-2"], "; ")
		if (tt.invalid == "") != (invalid == "") || !strings.Contains(invalid, tt.invalid) {
			t.Errorf("%d: INVALID %q, want %q", i, invalid, tt.invalid)
		}
		if (tt.flags == "") != (flags == "") || !strings.Contains(flags, tt.flags) {
			t.Errorf("%d: flags %q, want %q", i, flags, tt.flags)
		}
	}
}

// Whoever comes first is slower: the ratio stays what it is, and the position is shown.
func TestPosition(t *testing.T) {
	for _, tt := range []struct {
		first float64
		want  bool
	}{{1, false}, {1.01, false}, {1.3, true}, {0.8, true}} {
		l, rng := newLab(3), rand.New(rand.NewPCG(3, 3))
		l.set = series.New(func(string, string) int { return 0 }, Units(claimStudy(t))...)
		for round := range 30 {
			order := float64(rng.IntN(2))
			for i, arm := range []string{"a", "b"} {
				cost, at := 1e-6*(1+float64(i)), order
				if i == 1 {
					at = 1 - order
				}
				if at == 0 {
					cost *= tt.first
				}
				l.add("X-2", arm, "", round, sec(l.noisy(cost, 0.02)), figured(at, series.UnitOrder))
			}
		}
		js := JudgeArms(Study{Name: "s", Written: claimStudy(t)}, l.set, []string{"a", "b"}, 0.05, nil)
		x := position(js[1].Data, js[1].Find("X-2"), js[0].Find("X-2"))
		if x.Centre/tt.first > 1.03 || x.Centre/tt.first < 0.97 {
			t.Errorf("first costs %v times as much: found %+v", tt.first, x)
		}
		FlagPositions(claimStudy(t), js[1].Data)
		if got := len(js[1].Flags["X-2"]) > 0; got != tt.want {
			t.Errorf("first costs %v times as much: flagged %v, want %v (%+v)", tt.first, got, tt.want, x)
		}
	}
}
