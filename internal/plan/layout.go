package plan

// LayoutSeeds returns the seeds of the random links of each configuration. A configuration
// has a pool of Options.Layouts links, which no other configuration shares, even where the
// binary is the very same; behind it stands a pool of that size for the second copy (A′),
// whose layouts are its own, too. All follow from the seed of the run.
func (p *Plan) LayoutSeeds() [][]uint64 {
	n := max(p.Options.Layouts, 1)
	rng := p.rng("links", 0)
	taken := map[uint64]bool{}
	seeds := make([][]uint64, len(p.Arms))
	for a := range seeds {
		for len(seeds[a]) < 2*n {
			seed := rng.Uint64() >> 1 // the linker reads 63 bits, and 0 is no seed
			if seed != 0 && !taken[seed] {
				taken[seed] = true
				seeds[a] = append(seeds[a], seed)
			}
		}
	}
	return seeds
}

// layouts draws the links of one round: one for each arm, and one for the second copies
// (A′), so that the noise floor contains the effect of layout. All cases of an arm share
// the round's link, and a quarter sample uses the link of the full one.
//
// The arms draw together: the k-th link of one always meets the k-th of another, so that
// the rounds of a comparison fall into as many sets of layouts as a pool has links. Every
// set comes once before one comes again: as long as the pool lasts, each round has layouts
// that no round had before. A pool of four is four layouts, however many rounds.
func (p *Plan) layouts(round int) (main []int, double int) {
	n := max(p.Options.Layouts, 1)
	main = make([]int, len(p.Arms))
	if !p.Options.FreshLayouts { // one pool for all, drawn from anew each time
		rng := p.rng("layout", round)
		for a := range main {
			main[a] = rng.IntN(n)
		}
		return main, rng.IntN(n)
	}
	link := p.rng("layout", round/n).Perm(n)[round%n]
	for a := range main {
		main[a] = link
	}
	return main, n + link
}
