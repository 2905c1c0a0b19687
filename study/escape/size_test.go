package escape

// The pairs in which a block's size decides.

const tooLarge = 80 << 10 // above the 64 KiB of a make, below the 128 KiB of a variable

func tooLargeEscapes(i int) int {
	b := make([]byte, tooLarge)
	b[i&1023] = 1
	return int(b[0]) + len(b)
}

func tooLargeFixed(i int) int {
	var block [tooLarge]byte
	b := block[:]
	b[i&1023] = 1
	return int(b[0]) + len(b)
}

// variableMakeEscapes makes a slice of 40 to 47 bytes, with a length that the compiler
// does not know.
func variableMakeEscapes(i int) int {
	b := make([]byte, 40+i&7)
	b[i&31] = 1
	return int(b[0]) + len(b)
}

// variableMakeFixed takes the most that it ever needs, and uses a part of it.
func variableMakeFixed(i int) int {
	var block [48]byte
	b := block[:40+i&7]
	b[i&31] = 1
	return int(b[0]) + len(b)
}

// smallMakeEscapes does the same as variableMakeEscapes with 16 to 23 bytes.
func smallMakeEscapes(i int) int {
	b := make([]byte, 16+i&7)
	b[i&15] = 1
	return int(b[0]) + len(b)
}

func smallMakeFixed(i int) int {
	var block [24]byte
	b := block[:16+i&7]
	b[i&15] = 1
	return int(b[0]) + len(b)
}

// appendGrowthEscapes appends 32 numbers to an empty slice, which allocates a new block
// whenever the old one is full.
func appendGrowthEscapes(i int) int {
	var s []int
	for j := 0; j < 32; j++ {
		s = append(s, i+j)
	}
	return s[0] + s[31]
}

func appendGrowthFixed(i int) int {
	s := make([]int, 0, 32)
	for j := 0; j < 32; j++ {
		s = append(s, i+j)
	}
	return s[0] + s[31]
}

func sizePairs() []pair {
	return []pair{
		{cause: "too-large", escapes: tooLargeEscapes, fixed: tooLargeFixed, allocs: always(1), saved: always(0)},
		{cause: "variable-make", escapes: variableMakeEscapes, fixed: variableMakeFixed, allocs: always(1),
			saved: always(0)},
		{cause: "small-make", escapes: smallMakeEscapes, fixed: smallMakeFixed, allocs: history{{"", 1}, {"go1.25", 0}},
			saved: always(0)},
		{cause: "append-growth", escapes: appendGrowthEscapes, fixed: appendGrowthFixed,
			allocs: history{{"", 6}, {"go1.25", 3}}, saved: always(0)},
	}
}
