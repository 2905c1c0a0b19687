//go:build !linux

package resident

import "time"

// CPUTime is known on Linux alone.
func CPUTime(int) (time.Duration, bool) { return 0, false }

// ThreadCPU is known on Linux alone.
func ThreadCPU() time.Duration { return 0 }

var began = time.Now()

// SleepUntil sleeps until an instant has come, as Now gives it.
func SleepUntil(at int64) { time.Sleep(time.Duration(at - Now())) }

// Now is an instant of the monotonic clock.
func Now() int64 { return int64(time.Since(began)) }
