//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris)

package parallel

import "math"

// cpuSeconds returns NaN: the CPU time is not available here.
func cpuSeconds() float64 { return math.NaN() }
