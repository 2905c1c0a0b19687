package claim

import (
	"fmt"
	"testing"

	"memcost/internal/catalog"
	"memcost/internal/stat"
)

// arms adds cases on arms a and b, of which the first changed ones cost ratio
// times as much on b.
func (l *lab) arms(cases, changed, rounds int, ratio, noise float64) []Change {
	for round := range rounds {
		state := 1 + 0.3*float64(round)/float64(rounds)
		for i := range cases {
			name, r := fmt.Sprintf("X/i=%d-2", i), 1.0
			if i < changed {
				r = ratio
			}
			l.add(name, "a", "", round, sec(l.noisy(state, noise)))
			l.add(name, "b", "", round, sec(l.noisy(state*r, noise)))
		}
	}
	js := JudgeArms(Suite{Name: "s", Study: &catalog.Study{}}, l.set, []string{"a", "b"}, 0.05, nil)
	Discover([][]*Judged{js}, 0.05)
	return js[1].Changes
}

func TestPlantedChangesAreFound(t *testing.T) {
	found, wrong := 0, 0
	const runs, cases, changed = 5, 40, 8
	for seed := range uint64(runs) {
		for i, c := range newLab(seed).arms(cases, changed, 30, 1.2, 0.03) {
			switch {
			case c.Difference == Changed && i < changed:
				found++
				if c.Interval.Lo > 1.2 || c.Interval.Hi < 1.2 {
					t.Logf("seed %d, case %d: %v misses 1.2", seed, i, c.Interval)
				}
			case c.Difference == Changed:
				wrong++
			}
			if c.Difference == Changed && (!c.Discovery || c.Interval.Contains(1)) {
				t.Errorf("changed without standing out: %+v", c)
			}
		}
	}
	if found < runs*changed*9/10 || wrong > found/20 {
		t.Errorf("%d of %d planted changes found, %d false ones", found, runs*changed, wrong)
	}
}

// Identical arms: every discovery is a false one, so that the false discovery
// rate is the share of runs with any.
func TestFalseDiscoveryRate(t *testing.T) {
	const runs, cases = 150, 20
	bad := 0
	for seed := range uint64(runs) {
		for _, c := range newLab(seed).arms(cases, 0, 12, 1, 0.05) {
			if c.Discovery || c.Difference == Changed {
				bad++
				break
			}
		}
	}
	iv := stat.ClopperPearson(bad, runs, 0.01)
	t.Logf("%d of %d runs of %d identical cases have a discovery: %v", bad, runs, cases, iv)
	if iv.Lo > 0.05 {
		t.Errorf("false discoveries in %d of %d runs", bad, runs)
	}
}

// A difference that is sure but within 1% is a discovery and no change.
func TestSmallSureDifferenceIsNoChange(t *testing.T) {
	c := newLab(1).arms(1, 1, 300, 1.005, 0.0005)[0]
	if !c.Discovery || c.Difference != Equivalent {
		t.Errorf("%+v", c)
	}
}

func TestChangesLeaveInvalidCasesOut(t *testing.T) {
	l := newLab(1)
	l.arms(3, 3, 12, 2, 0.01)
	js := JudgeArms(Suite{Name: "s", Study: &catalog.Study{}}, l.set, []string{"a", "b"}, 0.05, nil)
	js[0].Invalid["X/i=0-2"], js[1].Invalid["X/i=1-2"] = Reasons{"so"}, Reasons{"so"}
	Discover([][]*Judged{js}, 0.05)
	if cs := js[1].Changes; len(cs) != 1 || cs[0].Case != "X/i=2-2" {
		t.Errorf("%+v", cs)
	}
}

// Eight rounds suffice for one comparison at α, and not for the one in forty
// that looks best.
func TestOneOfManyNeedsMore(t *testing.T) {
	if c := newLab(1).arms(1, 1, 8, 1.5, 0.001)[0]; !c.Discovery || c.Difference != Changed {
		t.Errorf("alone: %+v", c)
	}
	if c := newLab(1).arms(40, 1, 8, 1.5, 0.001)[0]; c.Discovery || c.Difference != Open || c.Interval.Contains(1) {
		t.Errorf("among forty: %+v", c)
	}
}
