package plan

import (
	"cmp"
	"math"
	"strconv"
)

const (
	// FirstLinks is the number of links before which nothing is known of how much they differ: as many
	// as the rounds of the first interval.
	FirstLinks = 8
	// leastLinks are drawn whatever a link costs, so that no two rounds in a row have the same.
	leastLinks = 4
	// MostLinks is the number of links that a study has at most.
	MostLinks = 512
	// repeated is the number of links for each of which one round ran a link that another had run: without
	// such rounds the variance within links is not known, and with it not that between them.
	repeated = 4
)

// DrawsLinks reports whether links are made as the run needs them, and not from pools of one size.
func (o Options) DrawsLinks() bool { return o.Layouts == 0 }

// NextLink returns which of its links a study runs in a round: one that it has run before, or, the
// number of those that there are, a new one. used are the rounds that each was run in, last
// is the one of the round before, and each is to be run in perLink rounds.
//
// Of the newest links those that have fewer rounds are run in turns, in random order, and none
// twice in a row: what the machine does for several rounds would look like what a link does.
func (p *Plan) NextLink(study, round int, used []int, last int, perLink float64) int {
	n, rounds := len(used), 0
	for _, k := range used {
		rounds += k
	}
	var open []int // those with the fewest rounds
	pick := func(least float64) {
		for l := max(0, n-FirstLinks); l < n; l++ {
			if l == last || float64(used[l])+0.5 > least {
				continue
			}
			if len(open) > 0 && used[l] < used[open[0]] {
				open = open[:0]
			}
			if len(open) == 0 || used[l] == used[open[0]] {
				open = append(open, l)
			}
		}
	}
	switch {
	case n < leastLinks:
		return n
	case n >= MostLinks || n >= FirstLinks && rounds-n < n/repeated:
		pick(math.Inf(1))
	default:
		if pick(perLink); len(open) == 0 {
			return n
		}
	}
	rng := stream(cmp.Or(p.Options.Draw, p.Options.Seed), "link of "+strconv.Itoa(study), round)
	return open[rng.IntN(len(open))]
}

// LinkSeed returns the seed of a random link of a side, from the seed of the run and the number of
// the link. No other side has it, even where the binary is the very same.
func LinkSeed(seed uint64, side, number int) uint64 {
	// The linker reads 63 bits, and 0 is no seed.
	return cmp.Or(stream(seed, "links of "+strconv.Itoa(side), number).Uint64()>>1, 1)
}

// layoutsOf returns the number of the link of each sample of a round. All cases of a study share the
// round's link, and a quarter sample has that of the full one; the second copies (A′) have
// links of their own, so that the noise floor contains the effect of layout.
//
// The sides draw together: the k-th link of one always meets the k-th of another, so that
// the rounds of a comparison fall into as many sets of layouts as there are links.
func (p *Plan) layoutsOf(seed uint64, round int, s State) func(Task) int {
	o := p.Options
	if o.DrawsLinks() {
		return func(t Task) int {
			link := 0
			if s.Link != nil {
				link = s.Link(p.Cases[t.Case].Study)
			}
			if t.Role == Double {
				return 2*link + 1
			}
			return 2 * link
		}
	}
	draw := layouts
	if !o.FreshLayouts {
		draw = sharedLayouts
	}
	main, double := draw(seed, o.Layouts, len(p.Sides), round)
	return func(t Task) int {
		if t.Role == Double {
			return double
		}
		return main[t.Side]
	}
}

// LinkOf returns the link of a study that has a number in the samples, where links are drawn.
func LinkOf(layout int) int { return layout / 2 }

// layouts draws the links of one round from pools of one size: one for each side, and one for the second
// copies. Every one comes once before one comes again: as long as the pool lasts, each round has layouts
// that no round had before. A pool of four is four layouts, however many rounds.
func layouts(seed uint64, pool, sides, round int) (main []int, double int) {
	pool = max(pool, 1)
	link := stream(seed, "layout", round/pool).Perm(pool)[round%pool]
	main = make([]int, sides)
	for a := range main {
		main[a] = link
	}
	return main, pool + link
}

// sharedLayouts draws as runs did whose configurations had one pool together: each from it
// anew in each round.
func sharedLayouts(seed uint64, pool, sides, round int) (main []int, double int) {
	pool = max(pool, 1)
	rng := stream(seed, "layout", round)
	main = make([]int, sides)
	for a := range main {
		main[a] = rng.IntN(pool)
	}
	return main, rng.IntN(pool)
}
