package claim

import (
	"fmt"
	"testing"

	"memcost/internal/study/language"
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
	return l.changes(0.05)
}

func TestPlantedChangesAreFound(t *testing.T) {
	found, wrong, missed := 0, 0, 0
	const runs, cases, changed = 5, 40, 8
	for seed := range uint64(runs) {
		for i, c := range newLab(seed).arms(cases, changed, 30, 1.2, 0.03) {
			switch {
			case c.Difference == Changed && i < changed:
				found++
				if c.Interval.Excludes(1.2) {
					missed++
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
	atMost(t, "the interval of a change", missed, found, 0.05)
}

// Identical arms: every discovery is a false one, so that the false discovery rate is the
// share of runs with any. Without a correction some case of nearly every other run would be one.
func TestFalseDiscoveryRate(t *testing.T) {
	const runs, cases, rounds, alpha = 60, 20, 30, 0.2
	bad, alone := 0, 0
	for seed := range uint64(runs) {
		l := newLab(seed)
		l.arms(cases, 0, rounds, 1, 0.05)
		discovered, different := false, false
		for _, c := range l.changes(alpha) {
			discovered = discovered || c.Discovery || c.Difference == Changed
			different = different || c.basis.p(excludesNone) <= alpha
		}
		bad, alone = bad+count(discovered), alone+count(different)
	}
	t.Logf("of %d runs of %d identical cases %d have a discovery; in %d some case alone is different", runs, cases, bad,
		alone)
	atMost(t, "some discovery", bad, runs, alpha)
	if alone < 5 || bad > alone/4 {
		t.Errorf("of %d runs %d have a discovery; in %d some case alone is different", runs, bad, alone)
	}
	found := 0
	for _, c := range newLab(1).arms(cases, 1, rounds, 1.1, 0.05) {
		found += count(c.Discovery)
	}
	if found != 1 {
		t.Errorf("a planted change of 10%%: %d discoveries", found)
	}
}

// changes compares arm b with arm a.
func (l *lab) changes(alpha float64) []Change {
	js := JudgeArms(Study{Name: "s", Written: &language.Study{}}, l.set, []string{"a", "b"}, alpha, nil)
	Discover([][]*Judged{js}, alpha)
	return js[1].Changes
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
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
	js := JudgeArms(Study{Name: "s", Written: &language.Study{}}, l.set, []string{"a", "b"}, 0.05, nil)
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

// The interval of a discovery is at level 1 − α k/m: as wide as one that was chosen among m
// has to be.
func TestDiscoveriesHaveTheirOwnLevel(t *testing.T) {
	const cases = 40
	for _, c := range newLab(1).arms(cases, 1, 30, 1.2, 0.03) {
		if c.Case != "X/i=0-2" {
			continue
		}
		want, narrow := expInterval(c.basis.interval(0.05/cases)), expInterval(c.basis.interval(0.05))
		if !c.Discovery || c.Interval != want || c.Interval == narrow {
			t.Errorf("one discovery among %d has %v, want %v", cases, c.Interval, want)
		}
		return
	}
	t.Error("the case is not there")
}
