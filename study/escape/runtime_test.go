package escape

// The pairs without a compiler diagnostic: the runtime allocates.

var (
	reusedChan = make(chan int, 1)
	reusedMap  = map[int]int{}
)

func makeChanEscapes(i int) int {
	c := make(chan int, 1)
	c <- i
	return <-c
}

func makeChanFixed(i int) int {
	reusedChan <- i
	return <-reusedChan
}

// mapGrowthEscapes fills a new map, which grows meanwhile.
func mapGrowthEscapes(i int) int {
	m := map[int]int{}
	for j := 0; j < 32; j++ {
		m[i^j] = j
	}
	return len(m)
}

// mapGrowthFixed clears the map that it filled the last time. The loop is the form
// that the compiler has turned into one call since Go 1.11; clear came with 1.21.
func mapGrowthFixed(i int) int {
	m := reusedMap
	for k := range m {
		delete(m, k)
	}
	for j := 0; j < 32; j++ {
		m[i^j] = j
	}
	return len(m)
}

func runtimePairs() []pair {
	return []pair{
		{cause: "make-chan", escapes: makeChanEscapes, fixed: makeChanFixed, allocs: always(1), saved: always(0)},
		{cause: "map-growth", escapes: mapGrowthEscapes, fixed: mapGrowthFixed, allocs: always(2), saved: always(0),
			orMore: true},
	}
}
