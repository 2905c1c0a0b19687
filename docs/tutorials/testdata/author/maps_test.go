// Package maps tests an article that says: a small slice is searched in less time than a map.
package maps

import (
	"fmt"
	"testing"
)

var found bool

// The article measured lists of up to 64 names.
//
//memcost:expect * allocs/op == 0
//memcost:claim slice-wins from:map / from:slice > 1 for every n
//memcost:more # Searching a slice of up to 64 names takes less time than looking into a map
//memcost:claim twice [published: 2.1 times, on a laptop] from:map n:8 / from:slice n:8 > 2
//memcost:more # With eight names the map takes at least twice as long as the slice
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{8, 64} {
		names, set := make([]string, n), map[string]bool{}
		for i := range names {
			names[i] = fmt.Sprintf("name-%d", i)
			set[names[i]] = true
		}
		last := names[n-1]
		b.Run(fmt.Sprintf("from=slice/n=%d", n), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				found = contains(names, last)
			}
		})
		b.Run(fmt.Sprintf("from=map/n=%d", n), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				found = set[last]
			}
		})
	}
}

//go:noinline
func contains(names []string, name string) bool {
	for _, s := range names {
		if s == name {
			return true
		}
	}
	return false
}
