package machine

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// ReadFingerprint reads the live machine through sysctl(3); root must be "" or "/".
// What macOS offers only through IOKit or Mach (power source, thermal state, clock)
// is left out with a note.
func ReadFingerprint(root string) (Fingerprint, error) {
	if err := liveOnly(root); err != nil {
		return Fingerprint{}, err
	}
	fp := Fingerprint{OS: runtime.GOOS, Arch: runtime.GOARCH, PageBytes: os.Getpagesize()}
	fp.Hostname = fp.sysctl("hostname", "kern.hostname")
	fp.Kernel = fp.sysctl("kernel", "kern.osrelease")
	fp.Board = fp.sysctl("board", "hw.model")
	fp.BootID = fp.sysctl("bootID", "kern.bootsessionuuid")
	fp.CPUModel = fp.sysctl("cpuModel", "machdep.cpu.brand_string")
	fp.CPUs = runtime.NumCPU()
	fp.CPUsOnline = int(fp.number("cpusOnline", "hw.logicalcpu"))
	fp.GOMAXPROCS = defaultGOMAXPROCS(fp.CPUs, 0)
	switch physical := int(fp.number("smt", "hw.physicalcpu")); {
	case physical > 0 && fp.CPUsOnline > physical:
		fp.SMT = "on"
	case physical > 0 && fp.Arch == "arm64": // Apple's own cores have one thread
		fp.SMT = "notsupported"
	case physical > 0:
		fp.SMT = "off"
	}
	fp.darwinCaches()
	fp.darwinMemory()
	fp.darwinLoad()
	fp.darwinLimits()
	fp.Virtualization = "none"
	if fp.number("virtualization", "kern.hv_vmm_present") == 1 {
		fp.Virtualization = "unknown hypervisor"
	}
	fp.unread("macOS offers no such setting", "governor", "turbo", "thp", "aslr", "perfEventParanoid", "perfPMU",
		"stealSeconds")
	fp.unread("macOS tells it through IOKit only", "power", "thermalThrottles")
	return fp, nil
}

func (fp *Fingerprint) sysctl(field, name string) string {
	s, err := unix.Sysctl(name)
	if err != nil {
		fp.note(field, "sysctl %s: %v", name, err)
	}
	return s
}

func (fp *Fingerprint) number(field, name string) int64 {
	n, err := sysctlNumber(name)
	if err != nil {
		fp.note(field, "sysctl %s: %v", name, err)
	}
	return n
}

// sysctlNumber reads an integer of 4 or 8 bytes; which it is varies by name and by
// release.
func sysctlNumber(name string) (int64, error) {
	b, err := unix.SysctlRaw(name)
	switch {
	case err != nil:
		return 0, err
	case len(b) == 4:
		return int64(binary.NativeEndian.Uint32(b)), nil
	case len(b) == 8:
		return int64(binary.NativeEndian.Uint64(b)), nil
	}
	return 0, fmt.Errorf("%d bytes are no number", len(b))
}

// darwinCaches reads the caches per kind of core (Apple silicon, hw.perflevelN), or
// those of the only kind.
func (fp *Fingerprint) darwinCaches() {
	prefixes := []string{"hw."}
	if levels, err := sysctlNumber("hw.nperflevels"); err == nil && levels > 0 && levels < 8 {
		prefixes = nil
		for i := range levels {
			prefixes = append(prefixes, fmt.Sprintf("hw.perflevel%d.", i))
		}
	}
	for _, c := range []struct {
		level      int
		kind, name string
	}{{1, "Data", "l1dcachesize"}, {1, "Instruction", "l1icachesize"}, {2, "Unified", "l2cachesize"},
		{3, "Unified", "l3cachesize"}} {
		for _, p := range prefixes {
			if n, err := sysctlNumber(p + c.name); err == nil && n > 0 {
				fp.Caches = append(fp.Caches, Cache{Level: c.level, Type: c.kind, Bytes: n, Count: 1})
			}
		}
	}
	if len(fp.Caches) == 0 {
		fp.note("caches", "sysctl hw.l1dcachesize and its like are not there")
	}
}

func (fp *Fingerprint) darwinMemory() {
	fp.MemoryBytes = fp.number("memoryBytes", "hw.memsize")
	fp.MemoryAvailableBytes = fp.number("memoryAvailableBytes", "vm.page_free_count") * int64(fp.PageBytes)
	// struct xsw_usage of <sys/sysctl.h>: total, avail, used as 64-bit numbers, page size, encrypted.
	b, err := unix.SysctlRaw("vm.swapusage")
	if err != nil || len(b) < 24 {
		fp.unread(fmt.Sprintf("sysctl vm.swapusage: %d bytes, %v", len(b), err), "swapBytes", "swapUsedBytes")
		return
	}
	fp.SwapBytes = int64(binary.NativeEndian.Uint64(b))
	fp.SwapUsedBytes = int64(binary.NativeEndian.Uint64(b[16:]))
}

// darwinLoad reads struct loadavg of <sys/resource.h>: three 32-bit fixed-point
// numbers, padding, and their scale as a long.
func (fp *Fingerprint) darwinLoad() {
	b, err := unix.SysctlRaw("vm.loadavg")
	if err != nil || len(b) < 24 || binary.NativeEndian.Uint64(b[16:]) == 0 {
		fp.note("load1", "sysctl vm.loadavg: %d bytes, %v", len(b), err)
		return
	}
	fp.Load1 = float64(binary.NativeEndian.Uint32(b)) / float64(binary.NativeEndian.Uint64(b[16:]))
}

func (fp *Fingerprint) darwinLimits() {
	fp.Limits = map[string]string{}
	for name, resource := range map[string]int{
		"stack": unix.RLIMIT_STACK, "memlock": unix.RLIMIT_MEMLOCK, "nofile": unix.RLIMIT_NOFILE,
		"as": unix.RLIMIT_AS, "data": unix.RLIMIT_DATA,
	} {
		var l unix.Rlimit
		if err := unix.Getrlimit(resource, &l); err != nil {
			fp.note("limits", "getrlimit %s: %v", name, err)
			continue
		}
		fp.Limits[name] = strconv.FormatUint(l.Cur, 10)
		if l.Cur >= 1<<63-1 { // RLIM_INFINITY of <sys/resource.h>
			fp.Limits[name] = "unlimited"
		}
	}
}
