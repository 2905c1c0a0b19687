package figures

import (
	"slices"
	"strings"
)

// fewValues is how many values of a key are named.
const fewValues = 3

// SharedName names several cases: of each key its values, and no key that has many of them.
func SharedName(names []string) string {
	var keys []string
	values := map[string][]string{}
	for _, name := range names {
		for part := range strings.SplitSeq(name, "/") {
			key, value, _ := strings.Cut(part, "=")
			if values[key] == nil {
				keys = append(keys, key)
			}
			if !slices.Contains(values[key], value) {
				values[key] = append(values[key], value)
			}
		}
	}
	var parts []string
	for _, key := range keys {
		switch n := len(values[key]); {
		case n == 1 && values[key][0] == "":
			parts = append(parts, key)
		case n <= fewValues:
			parts = append(parts, key+"="+strings.Join(values[key], ","))
		}
	}
	return strings.Join(parts, "/")
}
