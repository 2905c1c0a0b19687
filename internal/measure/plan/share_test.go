package plan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// uneven is a plan of pairs, whose comparisons take times as apart as 1 and 500.
func uneven(pairs int) *Plan {
	p := &Plan{Options: Options{Seed: 7, Alpha: .05, Layouts: 4}, Sides: []Side{{}}, Studies: []Study{{Name: "s"}}}
	rng := rand.New(rand.NewPCG(1, 2))
	var linked [][2]int
	for i := range pairs {
		sec := 1e-3 * (1 + 499*rng.Float64()*float64(i%2)) // every other one is long
		for range 2 {
			p.Cases = append(p.Cases, Case{N: 100, Estimate: sec / 100, StartUp: 1e-3})
		}
		linked = append(linked, [2]int{2 * i, 2*i + 1})
	}
	p.Link(linked)
	return p
}

func ten(string, string) int { return 10 }

// Every comparison is in one shard, whole, and the shards differ by no more than one of them.
func TestSharesAreBalanced(t *testing.T) {
	for _, shards := range []int{1, 2, 3, 8} {
		p := uneven(60)
		Share(p, shards, ten)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		times, longest := ShareTimes(p, shards, ten), slices.Max(groupTimes(p, ten))
		if most, least := slices.Max(times), slices.Min(times); most-least > longest || least == 0 {
			t.Errorf("%d shards take %v: apart by more than the longest comparison, %v", shards, times, longest)
		}
		p.Options.Shards = shards
		seen := map[int]int{}
		for p.Options.Shard = 1; p.Options.Shard <= shards; p.Options.Shard++ {
			for _, task := range p.Round(0, State{}) {
				if of, twice := seen[task.Case]; twice && of != p.Options.Shard {
					t.Errorf("case %d is in the shards %d and %d", task.Case, of, p.Options.Shard)
				}
				seen[task.Case] = p.Options.Shard
			}
		}
		if len(seen) != len(p.Cases) {
			t.Errorf("%d shards have %d of %d cases", shards, len(seen), len(p.Cases))
		}
		for _, pr := range p.Pairs {
			if seen[pr[0]] != seen[pr[1]] {
				t.Errorf("the pair %v is in the shards %d and %d", pr, seen[pr[0]], seen[pr[1]])
			}
		}
	}
	// In turn, as without a plan file, the long ones of this plan all fall to one of two.
	p := uneven(60)
	p.Parts = make([]int, len(p.Groups()))
	for g := range p.Parts {
		p.Parts[g] = g%2 + 1
	}
	if times := ShareTimes(p, 2, ten); times[1] < 10*times[0] {
		t.Errorf("in turn the shards take %v: the example shows nothing", times)
	}
}

// Attempts have the links of the plan, and each an order of its own.
func TestAttemptsHaveTheirOwnOrder(t *testing.T) {
	p, q := uneven(10), uneven(10)
	q.Options.Draw = 99
	same := 0
	for round := range 20 {
		a, b := p.Round(round, State{}), q.Round(round, State{})
		if slices.EqualFunc(a, b, func(x, y Task) bool { return x.Case == y.Case }) {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d of 20 rounds have the same order", same)
	}
}

// Comparisons that no shard was found of are not the plan's.
func TestMissingComparisons(t *testing.T) {
	p := uneven(4)
	p.Missing = []int{2}
	if p.Mine(2) || !p.Mine(1) {
		t.Error("the missing comparison counts, or another does not")
	}
}
