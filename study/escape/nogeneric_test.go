//go:build !go1.18
// +build !go1.18

package escape

// genericPairs returns those that need type parameters: this Go has none.
func genericPairs() []pair { return nil }
