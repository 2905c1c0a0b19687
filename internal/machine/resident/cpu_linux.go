package resident

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the CPU time of a process, of all of its threads, to the nanosecond: /proc has it in
// hundredths of a second. The clock of a process is made as pthread_getcpuclockid(3) makes it
// (MAKE_PROCESS_CPUCLOCK of the kernel's posix-timers.h), and anyone may read it.
func CPUTime(pid int) (time.Duration, bool) {
	const schedClock = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|schedClock, &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// ThreadCPU returns the CPU time of the calling thread: what a sampler costs.
func ThreadCPU() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// SleepUntil sleeps in the calling thread until an instant of the monotonic clock has come, in nanoseconds as
// Now gives it. A timer of the runtime would wake another thread first, whose time would be nobody's.
func SleepUntil(at int64) {
	t := unix.NsecToTimespec(at)
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &t, nil) == unix.EINTR {
		continue
	}
}

// Now is an instant of the monotonic clock.
func Now() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}
