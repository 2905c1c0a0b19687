package machine

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// source reads GetSystemTimes, which golang.org/x/sys/windows does not wrap. It
// counts idle and busy time over all CPUs of the processor group; Windows has
// neither steal nor pressure counters.
type source struct{ getSystemTimes *windows.LazyProc }

func openSource(root string) (source, error) {
	if err := liveOnly(root); err != nil {
		return source{}, err
	}
	return source{getSystemTimes: kernel32.NewProc("GetSystemTimes")}, nil
}

func (s source) read(snap *Snapshot) error {
	var idle, kernel, user windows.Filetime
	ok, _, err := s.getSystemTimes.Call(uintptr(unsafe.Pointer(&idle)), uintptr(unsafe.Pointer(&kernel)),
		uintptr(unsafe.Pointer(&user)))
	if ok == 0 {
		return fmt.Errorf("reading the machine's counters: GetSystemTimes: %w", err)
	}
	snap.Idle = seconds(idle)
	snap.Busy = seconds(kernel) + seconds(user) - snap.Idle // kernel time includes idle time
	return nil
}

func (s source) close() error { return nil }

// seconds of a duration in a Filetime, which counts 100 ns.
func seconds(t windows.Filetime) float64 {
	return (time.Duration(t.HighDateTime)<<32 + time.Duration(t.LowDateTime)).Seconds() * 100
}
