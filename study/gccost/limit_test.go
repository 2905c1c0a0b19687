//go:build go1.19
// +build go1.19

package gccost

import "runtime/debug"

// setMemoryLimit sets GOMEMLIMIT in bytes and returns the one before. It is nil
// where Go has none.
var setMemoryLimit = debug.SetMemoryLimit
