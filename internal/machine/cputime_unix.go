//go:build unix

package machine

import (
	"math"
	"syscall"
	"time"
)

// OwnCPU returns the CPU time that this process has used, user and system, in seconds.
func OwnCPU() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}
