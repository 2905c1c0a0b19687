//go:build !go1.18
// +build !go1.18

package escape

// genericPairs are those that need type parameters: this Go has none.
func genericPairs() []pair { return nil }
