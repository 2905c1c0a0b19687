package escape

// The pairs in which a pointer is stored where it outlives the function.

type node struct {
	pointer *vec
	value   vec
}

var (
	holder     = new(node)
	pointers   = map[int]*vec{}
	values     = map[int]vec{}
	anyKeys    = map[interface{}]int{}
	intKeys    = map[int]int{}
	pointerBox = make(chan *vec, 1)
	valueBox   = make(chan vec, 1)
)

func storeEscapes(i int) int {
	holder.pointer = &vec{i, 1, 2}
	return holder.pointer.X
}

func storeFixed(i int) int {
	holder.value = vec{i, 1, 2}
	return holder.value.X
}

// mapValueEscapes and its variants store under the same eight keys repeatedly: their
// maps have grown when the timing starts.
func mapValueEscapes(i int) int {
	pointers[i&7] = &vec{i, 1, 2}
	return len(pointers)
}

func mapValueFixed(i int) int {
	values[i&7] = vec{i, 1, 2}
	return len(values)
}

func mapKeyEscapes(i int) int {
	anyKeys[large(i&7)] = i
	return len(anyKeys)
}

func mapKeyFixed(i int) int {
	intKeys[large(i&7)] = i
	return len(intKeys)
}

func channelSendEscapes(i int) int {
	pointerBox <- &vec{i, 1, 2}
	return (<-pointerBox).X
}

func channelSendFixed(i int) int {
	valueBox <- vec{i, 1, 2}
	return (<-valueBox).X
}

func storePairs() []pair {
	return []pair{
		{cause: "store", escapes: storeEscapes, fixed: storeFixed, allocs: always(1), saved: always(0)},
		{cause: "map-value", escapes: mapValueEscapes, fixed: mapValueFixed, allocs: always(1), saved: always(0),
			setup: fillMaps},
		{cause: "map-key", escapes: mapKeyEscapes, fixed: mapKeyFixed, allocs: always(1), saved: always(0),
			setup: fillMaps},
		{cause: "channel-send", escapes: channelSendEscapes, fixed: channelSendFixed, allocs: always(1),
			saved: always(0)},
	}
}

// fillMaps fills the maps with all eight keys, so that the timed part never grows them.
func fillMaps() (end func()) {
	for i := 0; i < 8; i++ {
		mapValueEscapes(i)
		mapValueFixed(i)
		mapKeyEscapes(i)
		mapKeyFixed(i)
	}
	return func() {}
}
