package escape

// The pairs in which a callee hands something up to its caller, or is handed
// something that it might keep.

//go:noinline
func returnedPointerEscapesMake(i int) *vec {
	v := vec{i, 1, 2}
	return &v
}

func returnedPointerEscapes(i int) int {
	v := returnedPointerEscapesMake(i)
	return v.X + v.Y + v.Z
}

//go:noinline
func returnedPointerFixedMake(i int) vec {
	v := vec{i, 1, 2}
	return v
}

func returnedPointerFixed(i int) int {
	v := returnedPointerFixedMake(i)
	return v.X + v.Y + v.Z
}

// callersBufferEscapesEncode makes the block that it fills.
//
//go:noinline
func callersBufferEscapesEncode(i int) []byte {
	b := make([]byte, 8)
	putInt(b, i)
	return b
}

func callersBufferEscapes(i int) int {
	b := callersBufferEscapesEncode(i)
	return int(b[0]) + int(b[7])
}

// callersBufferFixedEncode fills the block that its caller has.
//
//go:noinline
func callersBufferFixedEncode(b []byte, i int) []byte {
	b = b[:8]
	putInt(b, i)
	return b
}

func callersBufferFixed(i int) int {
	var block [8]byte
	b := callersBufferFixedEncode(block[:0], i)
	return int(b[0]) + int(b[7])
}

func putInt(b []byte, i int) {
	for j := range b {
		b[j] = byte(i)
		i >>= 8
	}
}

// constructorEscapesNew is a constructor that is not inlined.
//
//go:noinline
func constructorEscapesNew(i int) *vec { return &vec{i, 1, 2} }

func constructorEscapes(i int) int { return vecPointerSum(constructorEscapesNew(i)) }

// constructorFixedNew is the same function, and the compiler inlines it: the object then
// belongs to its caller, which does not return it.
func constructorFixedNew(i int) *vec { return &vec{i, 1, 2} }

func constructorFixed(i int) int { return vecPointerSum(constructorFixedNew(i)) }

//go:noinline
func vecPointerSum(v *vec) int { return v.X + v.Y + v.Z }

// kept is where leakingParamEscapesLook stores negative values; none occurs here.
var kept *vec

// leakingParamEscapesLook keeps its argument itself: each caller's is on the heap,
// whether it is kept or not.
//
//go:noinline
func leakingParamEscapesLook(v *vec) int {
	if v.X < 0 {
		kept = v
	}
	return v.X + v.Y
}

func leakingParamEscapes(i int) int {
	v := vec{i, 1, 2}
	return leakingParamEscapesLook(&v)
}

// leakingParamFixedLook keeps a copy, which is made only when it is kept.
//
//go:noinline
func leakingParamFixedLook(v *vec) int {
	if v.X < 0 {
		c := *v
		kept = &c
	}
	return v.X + v.Y
}

func leakingParamFixed(i int) int {
	v := vec{i, 1, 2}
	return leakingParamFixedLook(&v)
}

// outlivesLoopEscapes keeps the address of the largest of four variables, each of which
// belongs to one iteration of the loop.
func outlivesLoopEscapes(i int) int {
	var best *vec
	for j := 0; j < 4; j++ {
		v := vec{i ^ j, j, 1}
		if best == nil || v.X > best.X {
			best = &v
		}
	}
	return best.X + best.Z
}

// outlivesLoopFixed keeps the largest of them in a variable outside the loop.
func outlivesLoopFixed(i int) int {
	best := vec{i, 0, 1}
	for j := 1; j < 4; j++ {
		v := vec{i ^ j, j, 1}
		if v.X > best.X {
			best = v
		}
	}
	return best.X + best.Z
}

func upPairs() []pair {
	return []pair{
		{cause: "returned-pointer", escapes: returnedPointerEscapes, fixed: returnedPointerFixed, allocs: always(1),
			saved: always(0)},
		{cause: "callers-buffer", escapes: callersBufferEscapes, fixed: callersBufferFixed, allocs: always(1),
			saved: always(0)},
		{cause: "constructor", escapes: constructorEscapes, fixed: constructorFixed, allocs: always(1),
			saved: always(0)},
		{cause: "leaking-param", escapes: leakingParamEscapes, fixed: leakingParamFixed, allocs: always(1),
			saved: always(0)},
		{cause: "outlives-loop", escapes: outlivesLoopEscapes, fixed: outlivesLoopFixed, allocs: always(4),
			saved: always(0)},
	}
}
