package plan

import (
	"fmt"
	"math"
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
		for side := range 3 {
			for number := range 16 {
				s := LinkSeed(seed, side, number)
				if s == 0 || s>>63 != 0 || seen[s] {
					t.Fatalf("seed %d of run %d is unusable, or was drawn before", s, seed)
				}
				if seen[s] = true; LinkSeed(seed, side, number) != s {
					t.Fatal("the same link has another seed the second time")
				}
			}
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

// drawLinks draws the links of so many rounds.
func drawLinks(p *Plan, rounds int, perLink func(round int) float64) (order, used []int) {
	last := -1
	for round := range rounds {
		link := p.NextLink(0, round, used, last, perLink(round))
		if link == len(used) {
			used = append(used, 0)
		}
		used[link]++
		order, last = append(order, link), link
	}
	return order, used
}

// Links are drawn for as many rounds as they are worth, none is run twice in a row, and the same plan draws the same.
func TestLinksAreDrawnAsTheyAreWorth(t *testing.T) {
	for _, x := range []struct {
		perLink     float64
		rounds      int
		least, most int // links
	}{
		{1, 8, 8, 8},            // nothing is known: each of the first rounds has its own
		{1, 60, 44, 48},         // a quarter runs a link that was run before, or nothing would be known
		{3, 60, 18, 26},         // as many rounds as are asked for, and some links are under way
		{9, 8, leastLinks, 4},   // links that take long
		{math.Inf(1), 4, 4, 4},  // at the very first
		{math.Inf(1), 90, 4, 4}, // links that do not differ
	} {
		p := example(1, 2)
		order, used := drawLinks(p, x.rounds, func(int) float64 { return x.perLink })
		if n := len(used); n < x.least || n > x.most {
			t.Errorf("%v rounds to a link: %d links in %d rounds, want %d to %d", x.perLink, n, x.rounds, x.least, x.most)
		}
		for i := range order[1:] {
			if order[i] == order[i+1] {
				t.Errorf("%v rounds to a link: rounds %d and %d run the same", x.perLink, i, i+1)
			}
		}
		if again, _ := drawLinks(p, x.rounds, func(int) float64 { return x.perLink }); !slices.Equal(again, order) {
			t.Error("the same plan draws other links the second time")
		}
		if math.IsInf(x.perLink, 1) && slices.Max(used)-slices.Min(used) > 1 {
			t.Errorf("links have %v rounds", used)
		}
	}
	// What is found out later is heeded: links that turn out to differ have fewer rounds from then on.
	_, used := drawLinks(example(1, 2), 80, func(round int) float64 {
		if round < 40 {
			return math.Inf(1)
		}
		return 1
	})
	if len(used) < 4+25 || used[len(used)-1] > 2 {
		t.Errorf("links have %v rounds", used)
	}
	// There is an end to it.
	if _, used := drawLinks(example(1, 2), 2*MostLinks, func(int) float64 { return 1 }); len(used) != MostLinks {
		t.Errorf("%d links", len(used))
	}
}

// The two sides of a round run links of one number, and the second copy one of its own.
func TestDrawnLinksBelongTogether(t *testing.T) {
	p := fresh(3, 0)
	for round := range 5 {
		for _, task := range p.Round(round, State{Link: func(int) int { return round }}) {
			if want := 2 * round; task.Role == Double && task.Layout != want+1 || task.Role != Double && task.Layout != want {
				t.Fatalf("round %d: role %q runs link %d", round, task.Role, task.Layout)
			}
			if LinkOf(task.Layout) != round {
				t.Fatalf("number %d is that of link %d", task.Layout, LinkOf(task.Layout))
			}
		}
	}
}
