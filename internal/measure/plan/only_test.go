package plan

import (
	"fmt"
	"testing"
)

// The question of one study has its cases, comparisons, builds and shards alone, under new numbers, and
// is one that Check takes.
func TestOnly(t *testing.T) {
	q := &Question{Format: Format, Builds: []Build{{Study: 0, Hash: "a"}, {Study: 1, Hash: "b"}}, Plan: Plan{
		Options: Options{Alpha: .05, Shard: 2, Shards: 3}, Sides: []Side{{Name: "go1"}},
		Studies: []Study{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Cases: []Case{{Study: 0, Name: "A0", N: 1, Group: 0}, {Study: 1, Name: "B0", N: 1, Group: 1},
			{Study: 1, Name: "B1", N: 1, Group: 1}, {Study: 2, Name: "C0", N: 1, Group: 2},
			{Study: 1, Name: "B2", N: 1, Group: 3}},
		Pairs: [][2]int{{1, 2}}, Doubles: []int{0, 4}, Suspects: []int{2, 3}, Parts: []int{1, 2, 3, 3},
		Missing: []int{0, 3}, ToFull: []Left{{0, "x"}, {1, "y"}}, NotReached: []Left{{2, "z"}},
		Failures: []Failure{{Study: 1, Name: "f"}, {Study: 2, Name: "g"}}}}
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	x := q.Only("b")
	if err := x.Check(); err != nil {
		t.Fatal(err)
	}
	p := &x.Plan
	got := fmt.Sprintln(p.Studies[0].Name, len(p.Studies), p.Pairs, p.Doubles, p.Suspects, p.Parts, p.Missing, p.ToFull,
		p.NotReached, len(p.Failures), p.Failures[0].Study, len(x.Builds), x.Builds[0].Study, x.Builds[0].Hash)
	if want := "b 1 [[0 1]] [2] [1] [2 3] [1] [{0 y}] [] 1 0 1 0 b\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i, want := range []string{"B0 0 0", "B1 0 0", "B2 0 1"} {
		if c := p.Cases[i]; fmt.Sprint(c.Name, " ", c.Study, " ", c.Group) != want {
			t.Errorf("case %d is %+v, want %s", i, c, want)
		}
	}
	if !p.Mine(0) || p.Mine(1) || len(q.Plan.Cases) != 5 || q.Plan.Cases[4].Group != 3 {
		t.Errorf("whose the comparisons are, or the question itself, changed: %+v", p)
	}
	q.Plan.Parts = nil // shards that go round: comparison 1 is of shard 2, comparison 3 of shard 1
	if got := fmt.Sprint(q.Only("b").Plan.Parts); got != "[2 1]" {
		t.Errorf("shards %s", got)
	}
}
