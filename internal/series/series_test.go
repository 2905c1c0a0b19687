package series

import (
	"fmt"
	"math"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func add(s *Set, name, arm string, round int, secOp float64, extra ...benchfmt.Value) {
	s.Add(&benchfmt.Result{
		Config: []benchfmt.Config{{Key: KeySuite, Value: []byte("s"), File: true}, {Key: KeyArm, Value: []byte(arm), File: true}},
		Name:   []byte(name), Iters: 10,
		Values: append([]benchfmt.Value{{Value: secOp, Unit: "sec/op"}, {Value: float64(round), Unit: UnitRound}}, extra...),
	})
}

func wall(v float64) benchfmt.Value  { return benchfmt.Value{Value: v, Unit: UnitWall} }
func steal(v float64) benchfmt.Value { return benchfmt.Value{Value: v, Unit: UnitSteal} }

func TestPairsMatchRounds(t *testing.T) {
	s := New(func(string, string) int { return 0 })
	add(s, "X", "a", 0, 1)
	add(s, "X", "b", 0, 2)
	add(s, "X", "a", 1, 1) // b is missing here
	add(s, "X", "b", 2, 8)
	add(s, "X", "a", 2, 2)
	d := s.Paired(s.Get(ID{"s", "X", "b", ""}), s.Get(ID{"s", "X", "a", ""}), "sec/op")
	if len(d) != 2 || math.Abs(d[0]-math.Log(2)) > 1e-12 || math.Abs(d[1]-math.Log(4)) > 1e-12 {
		t.Errorf("d = %v", d)
	}
	if s.Rounds() != 3 || s.Samples != 5 {
		t.Errorf("%d rounds, %d samples", s.Rounds(), s.Samples)
	}
}

// Interference during one arm's sample voids the round for both.
func TestVoidIsBlindToTheArm(t *testing.T) {
	s := New(func(string, string) int { return 4 })
	for r := range 3 {
		for _, arm := range []string{"a", "b"} {
			st := 0.0
			if r == 1 && arm == "b" {
				st = 0.03
			}
			add(s, "X", arm, r, 1, wall(.1), steal(st))
		}
	}
	for _, arm := range []string{"a", "b"} {
		if got := s.Valid(s.Get(ID{"s", "X", arm, ""}), "sec/op"); len(got) != 2 {
			t.Errorf("arm %s keeps %d of 3 rounds, want 2", arm, len(got))
		}
	}
	if v := s.Voids(); len(v) != 1 || v[0].Round != 1 || v[0].Group != 4 {
		t.Errorf("voids %v", v)
	}
	if got := s.VoidShare(); math.Abs(got-1./3) > 1e-12 {
		t.Errorf("share %v", got)
	}
}

func TestOneTickOfStealVoidsNothing(t *testing.T) {
	if why := (interference{wall: .1, steal: .01}).reason(); why != "" {
		t.Errorf("one tick: %s", why)
	}
	if why := (interference{wall: .1, steal: .02}).reason(); why == "" {
		t.Error("two ticks in 100 ms do not void")
	}
	if why := (interference{steal: 1}).reason(); why != "" {
		t.Errorf("without a wall time: %s", why)
	}
}

func TestMissingUnitsStayParallel(t *testing.T) {
	s := New(nil, "B/op")
	add(s, "X", "a", 0, 1)
	add(s, "X", "a", 1, 1, benchfmt.Value{Value: 16, Unit: "B/op"})
	sr := s.All()[0]
	if got := fmt.Sprint(sr.Values["B/op"]); got != "[NaN 16]" {
		t.Errorf("B/op %s", got)
	}
	if got := s.Valid(sr, "B/op"); len(got) != 1 || got[0] != 16 {
		t.Errorf("valid %v", got)
	}
}

func TestFailuresAndRepeats(t *testing.T) {
	s := New(nil)
	add(s, "X", "a", 0, 1)
	add(s, "X", "a", 0, 9)
	add(s, "X", "a", 1, 0, benchfmt.Value{Value: 1, Unit: UnitFailed})
	sr := s.All()[0]
	if len(sr.Rounds) != 1 || sr.Values["sec/op"][0] != 1 || len(sr.Failures) != 1 || sr.Failures[0].Round != 1 {
		t.Errorf("%+v", sr)
	}
}

// A file from elsewhere has no rounds: its samples are numbered as they come.
func TestForeignFile(t *testing.T) {
	s := New(nil)
	for range 3 {
		s.Add(&benchfmt.Result{Name: []byte("Y"), Iters: 1, Values: []benchfmt.Value{{Value: 1, Unit: "sec/op"}}})
	}
	if sr := s.All()[0]; len(sr.Rounds) != 3 || sr.Rounds[2] != 2 {
		t.Errorf("rounds %v", sr.Rounds)
	}
}
