//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris)

package parallel

import "math"

// cpuSeconds is not known here.
func cpuSeconds() float64 { return math.NaN() }
