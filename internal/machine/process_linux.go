package machine

import (
	"math"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

func readMemory(t tree, fp *Fingerprint, pfs procfs.FS) {
	m, err := pfs.Meminfo()
	if err != nil {
		for _, field := range []string{"memoryBytes", "memoryAvailableBytes", "swapBytes", "swapUsedBytes"} {
			fp.note(field, "reading /proc/meminfo: %s", t.relative(err))
		}
		return
	}
	take := func(field, key string, v *uint64) int64 {
		if v == nil || *v > math.MaxInt64 {
			fp.note(field, "/proc/meminfo has no usable %s", key)
			return 0
		}
		return int64(*v)
	}
	fp.MemoryBytes = take("memoryBytes", "MemTotal", m.MemTotalBytes)
	fp.MemoryAvailableBytes = take("memoryAvailableBytes", "MemAvailable", m.MemAvailableBytes)
	fp.SwapBytes = take("swapBytes", "SwapTotal", m.SwapTotalBytes)
	fp.SwapUsedBytes = max(0, fp.SwapBytes-take("swapUsedBytes", "SwapFree", m.SwapFreeBytes))
}

func readLoad(t tree, fp *Fingerprint, pfs procfs.FS) {
	l, err := pfs.LoadAvg()
	switch {
	case err != nil:
		fp.note("load1", "reading /proc/loadavg: %s", t.relative(err))
	case math.IsNaN(l.Load1) || math.IsInf(l.Load1, 0) || l.Load1 < 0: // ParseFloat takes them
		fp.note("load1", "reading /proc/loadavg: %v is not a load", l.Load1)
	default:
		fp.Load1 = l.Load1
	}
}

// readProcess reads what holds for this process: limits and cgroup. It returns the CPU
// quota of the process's own cgroup.
func readProcess(t tree, fp *Fingerprint, pfs procfs.FS) (leafQuota float64) {
	readLimits(t, fp)
	readCapabilities(t, fp)
	self, err := pfs.Self()
	if err != nil {
		for _, field := range []string{"cgroupCPUQuota", "cgroupMemoryBytes"} {
			fp.note(field, "finding this process: %s", t.relative(err))
		}
		return 0
	}
	return readCgroup(t, fp, pfs, self)
}

// readCapabilities looks for CAP_IPC_LOCK, bit 14 of the effective capabilities
// (capabilities(7), proc_pid_status(5)).
func readCapabilities(t tree, fp *Fingerprint) {
	_, rest, _ := strings.Cut(t.get("proc/self/status"), "\nCapEff:")
	line, _, _ := strings.Cut(rest, "\n")
	set, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	fp.MayLock = err == nil && set&(1<<14) != 0
}

// readLimits reads the soft limits. procfs's Limits gives 0, which is a valid limit,
// for a line that is not there.
func readLimits(t tree, fp *Fingerprint) {
	text := t.textOr(fp, "limits", "proc/self/limits")
	fp.Limits = map[string]string{}
	for name, title := range map[string]string{
		"stack": "Max stack size", "memlock": "Max locked memory", "nofile": "Max open files",
		"as": "Max address space", "data": "Max data size",
	} {
		_, rest, _ := strings.Cut(text, title+" ")
		words := strings.Fields(rest)
		if len(words) == 0 {
			continue
		}
		if _, err := strconv.ParseUint(words[0], 10, 64); err == nil || words[0] == "unlimited" {
			fp.Limits[name] = words[0]
		}
	}
	if len(fp.Limits) < 5 && text != "" {
		fp.note("limits", "/proc/self/limits holds %d of the 5 limits sought", len(fp.Limits))
	}
}
