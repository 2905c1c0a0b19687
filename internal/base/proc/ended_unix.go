//go:build unix

package proc

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func signalName(ps *os.ProcessState) string {
	ws, ok := ps.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	if name := unix.SignalName(ws.Signal()); name != "" {
		return name
	}
	return ws.Signal().String()
}

func usage(ps *os.ProcessState) Usage {
	u := Usage{User: ps.UserTime(), Sys: ps.SystemTime()}
	if ru, ok := ps.SysUsage().(*syscall.Rusage); ok {
		u.User, u.Sys = time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
		u.MaxRSS = int64(ru.Maxrss) * rssUnit()
		u.MinorFaults, u.MajorFaults = int64(ru.Minflt), int64(ru.Majflt)
		u.VoluntarySwitches, u.InvoluntarySwitches = int64(ru.Nvcsw), int64(ru.Nivcsw)
	}
	return u
}
