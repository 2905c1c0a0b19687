//go:build !unix && !windows

package machine

import "math"

// ownCPU returns NaN: the CPU time is not known on this operating system.
func ownCPU() float64 { return math.NaN() }
