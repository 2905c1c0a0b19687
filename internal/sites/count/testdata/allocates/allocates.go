// Package allocates makes objects of known numbers.
package allocates

import "fmt"

type pair struct{ a, b int }

//go:noinline
func newPair(n int) *pair { return &pair{n, n} }

//go:noinline
func box(n int) interface{} { return n + 1000 }

func text(n int) string { return fmt.Sprint("number ", n) }
