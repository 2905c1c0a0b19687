package machine

import (
	"fmt"
	"strconv"
	"strings"

	"memcost/internal/base/units"
)

func assessTHP(fp Fingerprint) Finding {
	f := Finding{Name: "thp", Level: OK, Value: fp.THP, Detail: "only programs that ask for huge pages get them"}
	switch fp.THP {
	case "":
		return fp.unreadFinding("thp", "thp")
	case "always":
		f.Level = Note
		f.Detail = fmt.Sprintf("blocks of %s may get huge pages when some are free: large sizes then have two speeds",
			units.Bytes(fp.HugePageBytes))
		f.Hint = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
	case "never":
		f.Detail = "no program gets huge pages, not even one that asks for them"
	}
	return f
}

// assessASLR reports whether address space layout randomisation is on. With fixed
// addresses all processes of a binary have one layout, and repeating them does not
// average over layouts (Documentation/admin-guide/sysctl/kernel.rst,
// randomize_va_space).
func assessASLR(fp Fingerprint) Finding {
	f := Finding{Name: "aslr", Level: OK, Value: fp.ASLR,
		Detail: "each process has a memory layout of its own, and samples average over them"}
	switch fp.ASLR {
	case "":
		return fp.unreadFinding("aslr", "aslr")
	case "2":
	default:
		f.Level, f.Detail = Note, "memory layout is the same in all processes: samples repeat one layout's luck"
		f.Hint = "sudo sysctl kernel.randomize_va_space=2"
	}
	return f
}

// MoreLocked is what to do about a limit of locked memory that is too small.
const MoreLocked = "sudo prlimit --pid $$ --memlock=unlimited:unlimited; of a container: " +
	"docker run --ulimit memlock=-1"

func assessMemlock(fp Fingerprint) Finding {
	limit := fp.Limits["memlock"]
	f := Finding{Name: "memlock", Level: OK, Value: limit, Detail: "mlockall works"}
	if limit == "" {
		return fp.unreadFinding("memlock", "limits")
	}
	n, err := strconv.ParseInt(limit, 10, 64)
	switch {
	case err != nil: // unlimited
	case fp.MayLock:
		f.Value, f.Detail = units.Bytes(n)+", CAP_IPC_LOCK", "mlockall works: this process may lock more than the limit"
	default:
		f.Level, f.Value = Note, units.Bytes(n)
		f.Detail = "without CAP_IPC_LOCK: of the cases with mlockall those are measured that fit"
		f.Hint = MoreLocked
	}
	return f
}

// assessPerf reports what perf_event_paranoid allows
// (Documentation/admin-guide/sysctl/kernel.rst): up to 2, a process may count its own
// user-space events. Debian and Ubuntu add 3 and 4, which allow nothing without
// CAP_PERFMON.
func assessPerf(fp Fingerprint) Finding {
	f := Finding{Name: "perf-events", Level: OK, Value: fp.PerfEventParanoid, Detail: "hardware counters (" +
		fp.PerfPMU + ") can be read"}
	level, err := strconv.Atoi(fp.PerfEventParanoid)
	_, noPMU := fp.unknown("perfPMU")
	switch {
	case err != nil:
		return fp.unreadFinding(f.Name, "perfEventParanoid")
	case fp.PerfPMU == "" && !noPMU:
		f.Level, f.Detail = Note, "the machine shows no hardware counters (usual in virtual machines)"
	case level > 2:
		f.Level, f.Detail = Note, "hardware counters are closed to ordinary users"
		f.Hint = "sudo sysctl kernel.perf_event_paranoid=2"
	}
	return f
}

// assessLoad grades the load: above 0.3 runnable tasks per CPU a sample is likely to
// compete with one of them; above 1 it must.
func assessLoad(fp Fingerprint) Finding {
	f := Finding{Name: "load", Level: OK, Value: fmt.Sprintf("%.2f on %d CPUs", fp.Load1, fp.CPUsOnline),
		Detail: "the machine was idle in the last minute"}
	if reason, unsure := fp.unknown("load1"); unsure || fp.CPUsOnline == 0 {
		return Finding{Name: f.Name, Detail: reason}
	}
	if perCPU := fp.Load1 / float64(fp.CPUsOnline); perCPU > 0.3 {
		f.Level, f.Detail = Warn, "other programs were running in the last minute"
		if perCPU > 1 {
			f.Level, f.Detail = Bad, "more programs were running in the last minute than there are CPUs"
		}
		f.Hint = "see which programs: top -o %CPU; wait a minute and look again"
	}
	return f
}

// assessMemory grades the available memory: the build and the large cases need about 1
// GiB, and 256 MiB are too little for either.
func assessMemory(fp Fingerprint) Finding {
	available := fp.MemoryAvailableBytes
	f := Finding{Name: "memory", Level: OK, Detail: "enough for all cases"}
	if reason, unsure := fp.unknown("memoryAvailableBytes"); unsure || fp.MemoryBytes == 0 {
		return Finding{Name: f.Name, Detail: reason}
	}
	if limit := fp.CgroupMemoryBytes; limit > 0 && limit < available {
		available = limit
		f.Detail += "; the cgroup's limit, not the machine's memory, is the bound"
	}
	f.Value = fmt.Sprintf("%s available of %s", units.Bytes(available), units.Bytes(fp.MemoryBytes))
	if available < 1<<30 {
		f.Level, f.Detail = Warn, "large cases may push other pages out, and then measure the disk"
		if available < 256<<20 {
			f.Level, f.Detail = Bad, "too little for a build and for large cases"
		}
		f.Hint = "close programs, or raise the container's memory limit"
	}
	return f
}

func assessSwap(fp Fingerprint) Finding {
	f := Finding{Name: "swap", Level: OK, Value: units.Bytes(fp.SwapUsedBytes) + " used of " +
		units.Bytes(fp.SwapBytes),
		Detail: "nothing is swapped out"}
	if reason, unsure := fp.unknown("swapUsedBytes"); unsure || fp.MemoryBytes == 0 {
		return Finding{Name: f.Name, Detail: reason}
	}
	if fp.SwapUsedBytes > 0 {
		f.Level, f.Detail = Note, "memory ran short since boot; a page may have to be read back while a sample runs"
		if fp.SwapUsedBytes > fp.MemoryBytes/10 {
			f.Level = Warn
		}
		if fp.OS == "linux" {
			f.Hint = "sudo swapoff -a"
		}
	}
	return f
}

func assessPower(fp Fingerprint) Finding {
	f := Finding{Name: "power", Level: OK, Value: fp.Power, Detail: "the machine does not run on a battery"}
	switch fp.Power {
	case "":
		return fp.unreadFinding("power", "power")
	case "battery":
		f.Level, f.Detail, f.Hint = Warn, "firmware and kernel lower the clock to save the battery",
			"plug in the power supply"
	}
	return f
}

// assessThermal reads counts since boot. The Raspberry Pi's get_throttled, in
// hexadecimal without 0x, has bits for under-voltage, capped clock, throttled and
// soft temperature limit: 0 to 3 now, 16 to 19 since boot (Raspberry Pi
// documentation, vcgencmd).
func assessThermal(fp Fingerprint) Finding {
	f := Finding{Name: "thermal", Level: OK, Value: fmt.Sprintf("%d events", fp.ThermalThrottles),
		Detail: "heat has not slowed the CPUs since boot"}
	if bits, err := strconv.ParseUint(strings.TrimPrefix(fp.FirmwareThrottled, "0x"), 16, 32); err == nil {
		f.Value = fmt.Sprintf("get_throttled=%#x", bits)
		switch {
		case bits&0xf != 0:
			f.Level, f.Detail, f.Hint = Bad, "the firmware slows the CPU now, for heat or too low a voltage",
				"a stronger power supply, or cooling"
		case bits != 0:
			f.Level, f.Detail, f.Hint = Warn, "the firmware has slowed the CPU since boot, for heat or too low a "+
				"voltage", "a stronger power supply, or cooling"
		}
		return f
	}
	if reason, unsure := fp.unknown("thermalThrottles"); unsure || fp.OS == "" {
		return Finding{Name: f.Name, Detail: reason}
	}
	if fp.ThermalThrottles > 0 {
		f.Level, f.Detail, f.Hint = Note, "heat has slowed the CPUs since boot",
			"improve cooling, then see whether the count still grows during a run"
	}
	return f
}
