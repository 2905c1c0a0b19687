//go:build !unix && !windows

package machine

import "math"

// OwnCPU returns NaN: the CPU time is not known on this operating system.
func OwnCPU() float64 { return math.NaN() }
