//go:build !go1.19
// +build !go1.19

package gccost

// setMemoryLimit is nil: this Go has no memory limit.
var setMemoryLimit func(int64) int64
