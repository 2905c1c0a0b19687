//go:build !linux && !darwin && !windows

package machine

import (
	"os"
	"runtime"
)

// ReadFingerprint reads what Go's runtime provides on this operating system.
func ReadFingerprint(root string) (Fingerprint, error) {
	if err := liveOnly(root); err != nil {
		return Fingerprint{}, err
	}
	fp := Fingerprint{OS: runtime.GOOS, Arch: runtime.GOARCH, PageBytes: os.Getpagesize(), CPUs: runtime.NumCPU()}
	fp.GOMAXPROCS = defaultGOMAXPROCS(fp.CPUs, 0)
	var err error
	if fp.Hostname, err = os.Hostname(); err != nil {
		fp.note("hostname", "%v", err)
	}
	fp.unread("not read on "+fp.OS, "kernel", "board", "cpuModel", "cpusOnline", "smt", "caches", "memoryBytes",
		"memoryAvailableBytes", "swapBytes", "swapUsedBytes", "governor", "turbo", "thp", "aslr", "perfEventParanoid",
		"perfPMU", "virtualization", "stealSeconds", "limits", "load1", "power", "thermalThrottles", "bootID")
	return fp, nil
}
