//go:build go1.23
// +build go1.23

package lair

// The body becomes a closure that an unknown function gets, so that the loop's hidden
// variables escape: the compiler has no position for them.
//
//go:noinline
func firstOver(ages func(yield func(int) bool), limit int) int {
	for age := range ages {
		if age > limit {
			return age
		}
	}
	return 0
}
