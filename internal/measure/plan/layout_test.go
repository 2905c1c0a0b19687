package plan

import (
	"fmt"
	"slices"
	"testing"
)

// fresh is an example whose layouts are drawn as runs draw them now.
func fresh(sides, layouts int) *Plan {
	p := example(sides, 2)
	p.Options.Layouts, p.Options.FreshLayouts = layouts, true
	p.Doubles = []int{0}
	return p
}

// Two configurations never share a layout, nor does a second copy with its original, and no
// run has those of another.
func TestLayoutsAreDisjoint(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(50) {
		p := fresh(3, 8)
		p.Options.Seed = seed
		seeds := LayoutSeeds(seed, 8, 3)
		if len(seeds) != 3 || len(seeds[0]) != 16 {
			t.Fatalf("pools %v", seeds)
		}
		for _, s := range slices.Concat(seeds...) {
			if s == 0 || s>>63 != 0 || seen[s] {
				t.Fatalf("seed %d of run %d is unusable, or was drawn before", s, seed)
			}
			seen[s] = true
		}
		if again := LayoutSeeds(seed, 8, 3); !slices.Equal(again[1], seeds[1]) {
			t.Fatal("the same plan has other seeds the second time")
		}
		for round := range 40 {
			for _, task := range p.Round(round, State{}) {
				if copied := task.Layout >= 8; copied != (task.Role == Double) || task.Layout >= 16 {
					t.Fatalf("round %d: role %q has layout %d", round, task.Role, task.Layout)
				}
			}
		}
	}
}

// A pool is used up before a link of it comes again, in an order that is drawn anew.
func TestLayoutsComeOnceInEachPass(t *testing.T) {
	passes := map[string]bool{}
	for pass := range 60 {
		var order []int
		for round := pass * 6; round < pass*6+6; round++ {
			main, double := layouts(7, 6, 2, round)
			if main[1] != main[0] || double != main[0]+6 {
				t.Fatalf("round %d: the sides run the links %v and %d, which do not belong together", round, main,
					double)
			}
			order = append(order, main[0])
		}
		passes[fmt.Sprint(order)] = true
		if slices.Sort(order); !slices.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
			t.Fatalf("pass %d uses the links %v", pass, order)
		}
	}
	if len(passes) < 40 { // of 720 orders 60 were drawn
		t.Errorf("60 passes have %d orders", len(passes))
	}
}

// A run from before, whose configurations shared a pool, goes on drawing as it began.
func TestOldRunsKeepTheirLayouts(t *testing.T) {
	var got []int
	for round := range 4 {
		main, double := sharedLayouts(7, 4, 2, round)
		got = append(append(got, main...), double)
	}
	if want := []int{3, 2, 0, 0, 3, 2, 3, 2, 0, 0, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("layouts %v, want %v", got, want)
	}
}
