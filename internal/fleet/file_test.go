package fleet

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/study/language"
)

// example is a plan of two comparisons for one kind of machines.
func example() *File {
	p := plan.Plan{Options: plan.Options{Alpha: .05, Seed: 1, Budget: time.Minute, Sample: time.Millisecond,
		Layouts: 1}, Sides: []plan.Side{{Name: "go1.26.8"}},
		Studies: []plan.Study{{Name: "s", Directives: []language.Directive{{
			Verb: "claim", Text: "a place:heap / place:stack > 1 # The heap is slower"}}}},
		Cases: []plan.Case{{Name: "A-2", Base: "A", N: 100, Estimate: 1e-5}, {Name: "B-2", Base: "B", N: 50,
			Estimate: 2e-5}}}
	p.Link(nil)
	f := &File{Format: Format, Tool: "memcost 0.1.0", Created: time.Unix(1e9, 0).UTC(), Asked: session.Options{Seed: new(uint64(1))}}
	f.Add(Kind{Kind: "k1", Machine: "a board", Question: &plan.Question{Format: plan.Format,
		Machine: machine.Fingerprint{Hostname: "h"}, Plan: p, Builds: []plan.Build{{Hash: "abc"}}},
		Rounds: []int{8, 8}})
	return f
}

func TestReadsWhatItWrote(t *testing.T) {
	f := example()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read("plan.json", b.Bytes())
	if err != nil || got.Hash != f.Hash || got.Of("k1") == nil || got.Of("k2") != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	for name, change := range map[string][2]string{
		"the seed":       {`"seed": 1`, `"seed": 2`},
		"a claim":        {"is slower", "is faster"},
		"the iterations": {`"n": 100`, `"n": 101`},
		"the format":     {`"format": 1`, `"format": 9`},
		"half of it":     {b.String()[b.Len()/2:], ""},
	} {
		changed := strings.Replace(b.String(), change[0], change[1], 1)
		if changed == b.String() {
			t.Fatalf("%s: nothing to change", name)
		}
		if _, err := Read("plan.json", []byte(changed)); err == nil {
			t.Errorf("a plan in which %s was changed by hand is read", name)
		}
	}
}

// The hash is of what is measured: not of when, nor of how it was calibrated.
func TestHashIsOfTheContent(t *testing.T) {
	hash := example().Hash
	for name, change := range map[string]func(*File){
		"the time":        func(f *File) { f.Created = time.Now() },
		"the calibration": func(f *File) { f.Kinds[0].Question.Plan.Cases[0].N = 7 },
		"another kind":    func(f *File) { f.Kinds = append(f.Kinds, Kind{Kind: "k2", Question: &plan.Question{}}) },
		"the machine":     func(f *File) { f.Kinds[0].Question.Machine.Hostname = "g" },
	} {
		if f := example(); true {
			if change(f); f.Content() != hash {
				t.Errorf("another hash for a change of %s", name)
			}
		}
	}
	for name, change := range map[string]func(*File){
		"the seed":          func(f *File) { f.Asked.Seed = new(uint64(2)) },
		"the claims asked":  func(f *File) { f.Asked.Claims = []string{"A / B > 1"} },
		"the claims":        func(f *File) { f.Kinds[0].Question.Plan.Studies[0].Directives[0].Text += "!" },
		"the cases":         func(f *File) { f.Kinds[0].Question.Plan.Cases[1].Base = "C" },
		"a configuration":   func(f *File) { f.Kinds[0].Question.Plan.Sides[0].Name = "go1.25.4" },
		"the tool":          func(f *File) { f.Tool = "memcost 0.2.0" },
		"the budget":        func(f *File) { f.Asked.Budget = time.Hour },
		"the rounds asked":  func(f *File) { f.Asked.Rounds = 3 },
		"what is left open": func(f *File) { f.Asked.StopWhenDecided = new(true) },
	} {
		f := example()
		if change(f); f.Content() == hash {
			t.Errorf("the same hash after a change of %s", name)
		}
	}
	f := example()
	k := f.Kinds[0].Content()
	if f.Kinds[0].Question.Plan.Cases[0].N++; f.Kinds[0].Content() == k {
		t.Error("the calibration has the same hash with another number of iterations")
	}
}

// A shard has its part of the budget, and each attempt at it an order.
func TestShard(t *testing.T) {
	f := example()
	k := &f.Kinds[0]
	a := plan.Attempt{Plan: f.Hash, Machine: "m", Shard: 1, Shards: 2}
	first, err := k.Shard(a)
	if err != nil {
		t.Fatal(err)
	}
	a.Shard = 2
	second, err := k.Shard(a)
	if err != nil || first.Options.Budget+second.Options.Budget != time.Minute {
		t.Errorf("budgets %v and %v, %v", first.Options.Budget, second.Options.Budget, err)
	}
	a.Number = 1
	if again, _ := k.Shard(a); again.Options.Draw == second.Options.Draw || again.Options.Seed != second.Options.Seed {
		t.Errorf("another attempt draws by %d and %d, seeds %d and %d", again.Options.Draw, second.Options.Draw,
			again.Options.Seed, second.Options.Seed)
	}
	if a.Shard, a.Shards = 3, 3; true {
		if _, err := k.Shard(a); err == nil {
			t.Error("two comparisons are cut into three shards")
		}
	}
	if k.Question.Plan.Parts != nil {
		t.Error("cutting the plan changed it")
	}
}
