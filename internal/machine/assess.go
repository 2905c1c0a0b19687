package machine

import (
	"fmt"
	"strconv"
	"strings"

	"memcost/internal/base/units"
)

// Assess judges whether a machine is fit to measure on: settings first, then its
// state, then the measured noise. It gives every finding, in a fixed order, those
// that are well and those that are unknown too. Where a threshold is not a fact of
// the system it is a convention of this package, stated beside it.
func Assess(fp Fingerprint, probe Probe) []Finding {
	var all []Finding
	for _, f := range []func(Fingerprint) Finding{
		assessCPUs, assessGovernor, assessTurbo, assessSMT, assessVirtualization, assessQuota,
		assessTHP, assessASLR, assessMemlock, assessPerf,
		assessLoad, assessMemory, assessSwap, assessPower, assessThermal,
	} {
		all = append(all, f(fp))
	}
	return append(all,
		assessNoise("noise-cpu", "of arithmetic", probe.CPU),
		assessNoise("noise-memory", "of copying", probe.Memory),
		assessDrift(probe),
		assessSteal(probe),
		assessForeign(probe),
		assessTimer(probe),
	)
}

func assessCPUs(fp Fingerprint) Finding {
	f := Finding{Name: "cpus", Level: OK, Value: fmt.Sprint(fp.CPUs),
		Detail: "the harness and its operating system have a CPU of their own"}
	if fp.CPUsOnline > fp.CPUs {
		f.Value = fmt.Sprintf("%d of %d", fp.CPUs, fp.CPUsOnline)
	}
	switch {
	case fp.CPUs == 0:
		return fp.unreadFinding("cpus", "cpus")
	case fp.CPUs < 2:
		f.Level, f.Detail = Warn, "Go's garbage collector and everything else on the machine interrupt the benchmark"
		f.Hint = "measure on a machine with two CPUs or more, or with an affinity to two"
	}
	return f
}

func assessGovernor(fp Fingerprint) Finding {
	f := Finding{Name: "governor", Level: OK, Value: fp.Governor, Detail: "the clock does not follow the load"}
	if fp.Governor == "" {
		return fp.unreadFinding("governor", "governor")
	}
	if fp.Governor != "performance" {
		f.Level, f.Detail = Warn, "the clock follows the load, so that the start of each sample runs slower than "+
			"its end"
		f.Hint = "sudo cpupower frequency-set -g performance"
	}
	return f
}

func assessTurbo(fp Fingerprint) Finding {
	f := Finding{Name: "turbo", Level: OK, Value: fp.Turbo,
		Detail: "the clock does not depend on heat or on the other cores"}
	switch fp.Turbo {
	case "":
		return fp.unreadFinding("turbo", "turbo")
	case "on":
		f.Level, f.Detail = Note, "the clock depends on temperature and on what the other cores do"
		f.Hint = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
		// intel_cpufreq is intel_pstate in its passive mode.
		if fp.FrequencyDriver == "intel_pstate" || fp.FrequencyDriver == "intel_cpufreq" {
			f.Hint = "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
		}
	}
	return f
}

func assessSMT(fp Fingerprint) Finding {
	f := Finding{Name: "smt", Level: OK, Value: fp.SMT,
		Detail: "each CPU is a core of its own, as far as this system can tell"}
	switch fp.SMT {
	case "":
		return fp.unreadFinding("smt", "smt")
	case "on":
		f.Level, f.Detail = Note, "two CPUs share a core: what runs on one slows the other"
		if fp.OS == "linux" {
			f.Hint = "echo off | sudo tee /sys/devices/system/cpu/smt/control"
		}
	}
	return f
}

// assessVirtualization reports whether the machine is virtual, and whether neighbours
// would show as steal: they cannot be seen directly. A steal count of 0 since boot may
// mean that none was stolen, or that the hypervisor does not report it.
func assessVirtualization(fp Fingerprint) Finding {
	f := Finding{Name: "virtualization", Level: OK, Value: fp.Virtualization,
		Detail: "no hypervisor and no container were found"}
	if reason, unsure := fp.unknown("virtualization"); unsure || fp.Virtualization == "" {
		return Finding{Name: f.Name, Value: fp.Virtualization, Detail: reason}
	}
	_, noSteal := fp.unknown("stealSeconds")
	containers := " docker podman kubernetes lxc containerd systemd-nspawn "
	switch {
	case fp.Virtualization == "none":
	case strings.Contains(containers, " "+fp.Virtualization+" "):
		f.Level, f.Detail = Note, "this is a container: others may run on the same kernel"
	case noSteal || fp.StealSeconds == 0:
		f.Level, f.Detail = Warn, "other machines on the host may take time. No steal time has shown since boot: "+
			"either none was taken or the hypervisor does not report it"
		f.Hint = "prefer a dedicated host; else look at the noise floor of each run: a configuration against " +
			"its own copy"
	default:
		f.Level, f.Detail = Note, fmt.Sprintf("other machines on the host take time, and the hypervisor reports it: "+
			"%.3g "+
			"CPU seconds stolen since boot", fp.StealSeconds)
	}
	return f
}

// assessQuota reports a CPU quota. Over the quota, all threads of the group stop until
// the next period, of 100 ms by default (Documentation/scheduler/sched-bwc.rst).
func assessQuota(fp Fingerprint) Finding {
	f := Finding{Name: "cgroup-quota", Level: OK, Value: fmt.Sprintf("%.3g CPUs", fp.CgroupCPUQuota)}
	reason, unsure := fp.unknown("cgroupCPUQuota")
	switch {
	case unsure || fp.OS != "linux":
		return Finding{Name: f.Name, Detail: reason}
	case fp.CgroupCPUQuota == 0:
		f.Value, f.Detail = "none", "no limit of CPU time"
	case fp.CgroupCPUQuota >= float64(fp.CPUs):
		f.Detail = "the limit of CPU time is no lower than the CPUs"
	default:
		f.Level = Warn
		if fp.CgroupCPUQuota < 1 { // even one thread is stopped in each period
			f.Level = Bad
		}
		f.Detail = fmt.Sprintf("%d CPUs but %.3g CPUs' worth of time: threads beyond it are stopped for the rest of "+
			"each period", fp.CPUs, fp.CgroupCPUQuota)
		f.Hint = "raise the limit (docker run --cpus, resources.limits.cpu, systemctl set-property CPUQuota=), or " +
			"set GOMAXPROCS=1"
	}
	return f
}

// minUnits is how many units of a kind a probe needs for its 5% tails to hold five
// of them.
const minUnits = 100

// assessNoise judges how many units were disturbed. The steps 1, 5 and 20% of units
// more than 10% slow are a convention: at 1% a 100 ms sample of 100 units has one
// such, moving it by about a thousandth; at 20% the disturbance is the rule.
func assessNoise(name, what string, u Unit) Finding {
	if u.Count < minUnits {
		return Finding{Name: name, Detail: fmt.Sprintf("%d units measured, %d are needed", u.Count, minUnits)}
	}
	f := Finding{Name: name, Level: OK}
	f.Value = fmt.Sprintf("%.2g%% of %.2g ms units %s are more than 10%% slow, %.2g%% more than 50%%",
		100*u.Slow10Share, 1e3*u.MedianSeconds, what, 100*u.Slow50Share)
	f.Detail = fmt.Sprintf("p5 to p95 spread %.2g%% of the median, longest interruption %.2g ms", 100*u.Spread,
		1e3*u.LongestGapSeconds)
	const hint = "stop other programs, pin the run to quiet CPUs (taskset -c), or expect more rounds"
	switch {
	case u.Slow10Share >= 0.20:
		f.Level, f.Hint = Bad, hint
	case u.Slow10Share >= 0.05:
		f.Level, f.Hint = Warn, hint
	case u.Slow10Share >= 0.01:
		f.Level = Note
	}
	return f
}

// assessDrift looks for noise that comes in stretches, which is what makes samples
// taken one arm after the other disagree and rounds necessary. Of independent units
// the autocorrelation is within ±2/√n in 95 of 100 cases; half is far outside at
// any n that is accepted.
func assessDrift(p Probe) Finding {
	largest := max(p.CPU.Lag1, p.Memory.Lag1)
	f := Finding{Name: "drift", Level: OK, Value: fmt.Sprintf("lag-1 autocorrelation %.2f (arithmetic), %.2f (copying)",
		p.CPU.Lag1, p.Memory.Lag1)}
	switch {
	case min(p.CPU.Count, p.Memory.Count) < minUnits:
		return Finding{Name: f.Name, Detail: "too few units measured"}
	case largest > 0.5:
		f.Level, f.Detail = Note, "the speed changes in stretches of time: sequential runs will disagree, "+
			"interleaved rounds will not"
	default:
		f.Detail = "units are nearly independent of their neighbours"
	}
	return f
}

// assessSteal takes 1% of a CPU as the least that ticks of 10 ms show in a second.
func assessSteal(p Probe) Finding {
	if p.StealShare == nil {
		return Finding{Name: "steal", Detail: "the machine does not count stolen time"}
	}
	f := Finding{Name: "steal", Level: OK, Value: fmt.Sprintf("%.1f%% of a CPU", 100**p.StealShare),
		Detail: "the hypervisor took no time away while measuring"}
	if *p.StealShare > 0.01 {
		f.Level, f.Detail = Warn, "the hypervisor gave time to other machines while measuring"
		if *p.StealShare > 0.10 {
			f.Level = Bad
		}
		f.Hint = "another instance type, a dedicated host, or a quieter hour"
	}
	return f
}

func assessForeign(p Probe) Finding {
	if p.ForeignShare == nil {
		return Finding{Name: "foreign-cpu", Detail: "the machine does not count busy time"}
	}
	f := Finding{Name: "foreign-cpu", Level: OK, Value: fmt.Sprintf("%.1f%% of a CPU", 100**p.ForeignShare),
		Detail: "other programs were quiet while measuring"}
	if *p.ForeignShare > 0.10 {
		f.Level, f.Detail = Warn, "other programs ran while measuring"
		f.Hint = "see which programs: top -o %CPU"
	}
	return f
}

// assessTimer wants a clock that does not show in the shortest thing timed with it,
// a unit or a sample of some milliseconds: a microsecond is 0.1% of one.
func assessTimer(p Probe) Finding {
	if p.TimerCostSeconds <= 0 {
		return Finding{Name: "timer", Detail: "not measured"}
	}
	f := Finding{Name: "timer", Level: OK, Value: fmt.Sprintf("%.3g ns a reading, steps of %.3g ns",
		1e9*p.TimerCostSeconds, 1e9*p.TimerResolutionSeconds),
		Detail: "the clock has small steps and is cheap to read"}
	if p.TimerCostSeconds > 1e-6 || p.TimerResolutionSeconds > 1e-6 || p.TimerResolutionSeconds == 0 {
		f.Level, f.Detail = Warn, "the clock is slow or coarse: StopTimer and short samples are unreliable"
		f.Hint = "on Linux: cat /sys/devices/system/clocksource/clocksource0/current_clocksource; tsc is the fast " +
			"one on x86"
	}
	return f
}

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

// Level is the weight of a finding for a measurement.
type Level int

const (
	Unknown Level = iota // could not be determined
	OK                   // as it should be
	Note                 // worth knowing when results are read
	Warn                 // costs rounds, or shifts results
	Bad                  // do not measure like this
)

// String gives "unknown", "ok", "note", "warn" or "bad".
func (l Level) String() string {
	if names := []string{"unknown", "ok", "note", "warn", "bad"}; l >= 0 && int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("Level(%d)", int(l))
}

// MarshalText makes a level its name in JSON.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Finding is the result of one check of the machine.
type Finding struct {
	Name   string `json:"name"` // stable, e.g. "governor"
	Level  Level  `json:"level"`
	Value  string `json:"value"`          // what was found; "" when unknown
	Detail string `json:"detail"`         // what it does to measurements, or why it is unknown
	Hint   string `json:"hint,omitempty"` // a command or an action that removes the cause
}

// unreadFinding returns the finding for a field that could not be read, with the note
// about it, if any, as its reason.
func (fp Fingerprint) unreadFinding(name, field string) Finding {
	reason, ok := fp.unknown(field)
	if !ok {
		reason = "not read"
	}
	return Finding{Name: name, Detail: reason}
}
