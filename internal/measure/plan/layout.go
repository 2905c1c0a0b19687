package plan

// LayoutSeeds returns the seeds of the random links of each configuration, from the seed of
// the run. A configuration has a pool of links that no other configuration shares, even
// where the binary is the very same; behind it stands a pool of that size for the second
// copy (A′), whose layouts are its own, too.
func LayoutSeeds(seed uint64, pool, arms int) [][]uint64 {
	pool = max(pool, 1)
	rng := stream(seed, "links", 0)
	taken := map[uint64]bool{}
	seeds := make([][]uint64, arms)
	for a := range seeds {
		for len(seeds[a]) < 2*pool {
			link := rng.Uint64() >> 1 // the linker reads 63 bits, and 0 is no seed
			if link != 0 && !taken[link] {
				taken[link] = true
				seeds[a] = append(seeds[a], link)
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
func layouts(seed uint64, pool, arms, round int) (main []int, double int) {
	pool = max(pool, 1)
	link := stream(seed, "layout", round/pool).Perm(pool)[round%pool]
	main = make([]int, arms)
	for a := range main {
		main[a] = link
	}
	return main, pool + link
}

// sharedLayouts draws as runs did whose configurations had one pool together: each from it
// anew in each round.
func sharedLayouts(seed uint64, pool, arms, round int) (main []int, double int) {
	pool = max(pool, 1)
	rng := stream(seed, "layout", round)
	main = make([]int, arms)
	for a := range main {
		main[a] = rng.IntN(pool)
	}
	return main, rng.IntN(pool)
}
