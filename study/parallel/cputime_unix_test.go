//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package parallel

import (
	"math"
	"syscall"
)

// cpuSeconds returns the CPU time that this process has used, in user and system mode.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return math.NaN()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
