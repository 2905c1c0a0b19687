package machine

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

var kernel32 = windows.NewLazySystemDLL("kernel32.dll")

// ReadFingerprint reads the live machine; root must be "" or "/". It gives names, CPU
// count, memory, hypervisor and power source; other properties would need WMI.
func ReadFingerprint(root string) (Fingerprint, error) {
	if err := liveOnly(root); err != nil {
		return Fingerprint{}, err
	}
	fp := Fingerprint{OS: runtime.GOOS, Arch: runtime.GOARCH, PageBytes: os.Getpagesize(), CPUs: runtime.NumCPU()}
	fp.GOMAXPROCS = defaultGOMAXPROCS(fp.CPUs, 0)
	fp.CPUsOnline = int(windows.GetActiveProcessorCount(windows.ALL_PROCESSOR_GROUPS))
	var err error
	if fp.Hostname, err = os.Hostname(); err != nil {
		fp.note("hostname", "%v", err)
	}
	v := windows.RtlGetVersion()
	fp.Kernel = fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
	fp.CPUModel = strings.Join(strings.Fields(fp.registry("cpuModel", `HARDWARE\DESCRIPTION\System\CentralProcessor\0`,
		"ProcessorNameString")), " ")

	const bios = `HARDWARE\DESCRIPTION\System\BIOS`
	vendor, product := fp.registry("board", bios, "SystemManufacturer"), fp.registry("board", bios, "SystemProductName")
	fp.Board = strings.TrimSpace(vendor + " " + product)
	if fp.Virtualization = hypervisorOf(vendor, product); fp.Virtualization == "" {
		fp.Virtualization = "none"
	}
	fp.windowsMemory()
	fp.windowsPower()
	fp.unread("not read on Windows", "smt", "caches", "governor", "turbo", "limits", "load1", "thermalThrottles",
		"bootID")
	fp.unread("Windows has no such setting", "thp", "aslr", "perfEventParanoid", "perfPMU", "stealSeconds")
	return fp, nil
}

func (fp *Fingerprint) registry(field, key, value string) string {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE)
	if err == nil {
		defer k.Close()
		var s string
		if s, _, err = k.GetStringValue(value); err == nil {
			return s
		}
	}
	fp.note(field, `HKEY_LOCAL_MACHINE\%s %s: %v`, key, value, err)
	return ""
}

// windowsMemory calls GlobalMemoryStatusEx, which golang.org/x/sys/windows does not
// wrap. Its page file totals include the memory itself.
func (fp *Fingerprint) windowsMemory() {
	var m struct { // MEMORYSTATUSEX
		length, load                                   uint32
		totalPhys, availPhys, totalPage, availPage     uint64
		totalVirtual, availVirtual, availExtendVirtual uint64
	}
	m.length = uint32(unsafe.Sizeof(m))
	if ok, _, err := kernel32.NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&m))); ok == 0 {
		fp.unread("GlobalMemoryStatusEx: "+err.Error(), "memoryBytes", "memoryAvailableBytes", "swapBytes",
			"swapUsedBytes")
		return
	}
	fp.MemoryBytes, fp.MemoryAvailableBytes = int64(m.totalPhys), int64(m.availPhys)
	fp.SwapBytes = max(0, int64(m.totalPage)-int64(m.totalPhys))
	fp.note("swapUsedBytes", "Windows tells the commit charge, not what was swapped out")
}

func (fp *Fingerprint) windowsPower() {
	var s struct { // SYSTEM_POWER_STATUS
		acLine, batteryFlag, batteryPercent, systemFlag byte
		lifeTime, fullLifeTime                          uint32
	}
	ok, _, err := kernel32.NewProc("GetSystemPowerStatus").Call(uintptr(unsafe.Pointer(&s)))
	switch {
	case ok == 0:
		fp.note("power", "GetSystemPowerStatus: %v", err)
	case s.acLine == 0:
		fp.Power = "battery"
	case s.acLine == 1:
		fp.Power = "mains"
	default:
		fp.note("power", "GetSystemPowerStatus does not know")
	}
}
