package units

// Grouped parts a list into those of one key, in the order in which the keys come first.
func Grouped[T any, K comparable](all []T, key func(T) K) [][]T {
	var out [][]T
	at := map[K]int{}
	for _, x := range all {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(out)
			at[k], out = i, append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}
