package escape

// The pairs of slice and map literals: each evaluation makes what it describes.

var (
	total      = func(s []int) int { return s[0] + s[3] }
	totalArray = func(s [4]int) int { return s[0] + s[3] }
	look       = func(m map[string]int, key string) int { return m[key] }
	colours    = map[string]int{"red": 1, "green": 2, "blue": 3}
	names      = [4]string{"red", "green", "blue", "none"}
)

func sliceLiteralEscapes(i int) int { return total([]int{i, 1, 2, 3}) }

func sliceLiteralFixed(i int) int { return totalArray([4]int{i, 1, 2, 3}) }

func mapLiteralEscapes(i int) int {
	return look(map[string]int{"red": 1, "green": 2, "blue": 3}, names[i&3])
}

// mapLiteralFixed makes the map once for all.
func mapLiteralFixed(i int) int { return look(colours, names[i&3]) }

func literalPairs() []pair {
	return []pair{
		{cause: "slice-literal", escapes: sliceLiteralEscapes, fixed: sliceLiteralFixed, allocs: always(1),
			saved: always(0)},
		{cause: "map-literal", escapes: mapLiteralEscapes, fixed: mapLiteralFixed, allocs: always(2), saved: always(0)},
	}
}
