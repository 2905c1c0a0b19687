package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
)

// Assess judges whether a machine is fit to measure on: settings first, then its
// state, then the measured noise. It gives every finding, in a fixed order, those
// that are well and those that are unknown too. Where a threshold is not a fact of
// the system it is a convention of this package, stated beside it.
func Assess(fp Fingerprint, probe Probe) []Finding {
	return slices.Concat(fp.processors(), fp.settings(), fp.state(), probe.findings())
}

// A fault is what can be wrong with a machine, and what it is worth.
type fault struct {
	found  bool
	level  Level
	detail string
	hint   string
}

// judged returns the finding of the first fault that was found, else that all is well.
func judged(name, value, well string, faults ...fault) Finding {
	for _, f := range faults {
		switch {
		case f.found && f.level == Unknown:
			return Finding{Name: name, Detail: f.detail}
		case f.found:
			return Finding{name, f.level, value, f.detail, f.hint}
		}
	}
	return Finding{Name: name, Level: OK, Value: value, Detail: well}
}

// missing is the fault of a field without a value, with the note about it, if any, as its reason.
func (fp Fingerprint) missing(absent bool, field string) fault {
	reason, noted := fp.unknown(field)
	if !noted {
		reason = "not read"
	}
	return fault{absent, Unknown, reason, ""}
}

// doubtful is the fault of a field without a value, or with a note about it.
func (fp Fingerprint) doubtful(absent bool, field string) fault {
	reason, noted := fp.unknown(field)
	return fault{absent || noted, Unknown, reason, ""}
}

// onLinux returns a hint that is of use on Linux alone.
func (fp Fingerprint) onLinux(hint string) string {
	if fp.OS == "linux" {
		return hint
	}
	return ""
}

const seePrograms = "see which programs: top -o %CPU"

// processors judges what decides how fast the CPUs run, and who shares them.
func (fp Fingerprint) processors() []Finding {
	cpus := fmt.Sprint(fp.CPUs)
	if fp.CPUsOnline > fp.CPUs {
		cpus = fmt.Sprintf("%d of %d", fp.CPUs, fp.CPUsOnline)
	}
	turbo := "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
	// intel_cpufreq is intel_pstate in its passive mode.
	if fp.FrequencyDriver == "intel_pstate" || fp.FrequencyDriver == "intel_cpufreq" {
		turbo = "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
	}
	return []Finding{
		judged("cpus", cpus, "the harness and its operating system have a CPU of their own",
			fp.missing(fp.CPUs == 0, "cpus"),
			fault{fp.CPUs < 2, Warn, "Go's garbage collector and everything else on the machine interrupt the benchmark",
				"measure on a machine with two CPUs or more, or with an affinity to two"}),
		judged("governor", fp.Governor, "the clock does not follow the load",
			fp.missing(fp.Governor == "", "governor"),
			fault{fp.Governor != "performance", Warn,
				"the clock follows the load, so that the start of each sample runs slower than its end",
				"sudo cpupower frequency-set -g performance"}),
		judged("turbo", fp.Turbo, "the clock does not depend on heat or on the other cores",
			fp.missing(fp.Turbo == "", "turbo"),
			fault{fp.Turbo == "on", Note, "the clock depends on temperature and on what the other cores do", turbo}),
		judged("smt", fp.SMT, "each CPU is a core of its own, as far as this system can tell",
			fp.missing(fp.SMT == "", "smt"),
			fault{fp.SMT == "on", Note, "two CPUs share a core: what runs on one slows the other",
				fp.onLinux("echo off | sudo tee /sys/devices/system/cpu/smt/control")}),
		fp.neighbours(),
		fp.quota(),
	}
}

// neighbours reports whether the machine is virtual, and whether neighbours
// would show as steal: they cannot be seen directly. A steal count of 0 since boot may
// mean that none was stolen, or that the hypervisor does not report it.
func (fp Fingerprint) neighbours() Finding {
	containers := []string{"docker", "podman", "kubernetes", "lxc", "containerd", "systemd-nspawn"}
	_, noSteal := fp.unknown("stealSeconds")
	f := judged("virtualization", fp.Virtualization, "no hypervisor and no container were found",
		fp.doubtful(fp.Virtualization == "", "virtualization"),
		fault{slices.Contains(containers, fp.Virtualization), Note,
			"this is a container: others may run on the same kernel", ""},
		fault{fp.Virtualization != "none" && (noSteal || fp.StealSeconds == 0), Warn,
			"other machines on the host may take time. No steal time has shown since boot: either none was taken or the " +
				"hypervisor does not report it",
			"prefer a dedicated host; else look at the noise floor of each run: a configuration against its own copy"},
		fault{fp.Virtualization != "none", Note, fmt.Sprintf("other machines on the host take time, and the hypervisor "+
			"reports it: %.3g CPU seconds stolen since boot", fp.StealSeconds), ""})
	f.Value = fp.Virtualization
	return f
}

// quota reports a CPU quota. Over the quota, all threads of the group stop until
// the next period, of 100 ms by default (Documentation/scheduler/sched-bwc.rst).
func (fp Fingerprint) quota() Finding {
	unknown := fp.doubtful(fp.OS != "linux", "cgroupCPUQuota")
	if !unknown.found && fp.CgroupCPUQuota == 0 {
		return judged("cgroup-quota", "none", "no limit of CPU time")
	}
	level := Warn
	if fp.CgroupCPUQuota < 1 { // even one thread is stopped in each period
		level = Bad
	}
	return judged("cgroup-quota", fmt.Sprintf("%.3g CPUs", fp.CgroupCPUQuota),
		"the limit of CPU time is no lower than the CPUs", unknown,
		fault{fp.CgroupCPUQuota < float64(fp.CPUs), level, fmt.Sprintf("%d CPUs but %.3g CPUs' worth of time: threads "+
			"beyond it are stopped for the rest of each period", fp.CPUs, fp.CgroupCPUQuota),
			"raise the limit (docker run --cpus, resources.limits.cpu, systemctl set-property CPUQuota=), or set GOMAXPROCS=1"})
}

// MoreLocked is what to do about a limit of locked memory that is too small.
const MoreLocked = "sudo prlimit --pid $$ --memlock=unlimited:unlimited; of a container: " +
	"docker run --ulimit memlock=-1"

// settings judges what an administrator can change. With fixed addresses (aslr) all processes of a
// binary have one layout, and repeating them does not average over layouts
// (Documentation/admin-guide/sysctl/kernel.rst, randomize_va_space). Up to a level of 2 of
// perf_event_paranoid (ibid.) a process may count its own user-space events; Debian and Ubuntu add 3
// and 4, which allow nothing without CAP_PERFMON.
func (fp Fingerprint) settings() []Finding {
	hugePages := "only programs that ask for huge pages get them"
	if fp.THP == "never" {
		hugePages = "no program gets huge pages, not even one that asks for them"
	}
	lock, mayLock := fp.Limits["memlock"], "mlockall works"
	limit, err := strconv.ParseInt(lock, 10, 64)
	limited := err == nil // else it is "unlimited", or not known
	if limited {
		lock = units.Bytes(limit)
	}
	if limited && fp.MayLock {
		lock, mayLock = lock+", CAP_IPC_LOCK", "mlockall works: this process may lock more than the limit"
	}
	level, notRead := strconv.Atoi(fp.PerfEventParanoid)
	_, unknownPMU := fp.unknown("perfPMU")
	return []Finding{
		judged("thp", fp.THP, hugePages, fp.missing(fp.THP == "", "thp"),
			fault{fp.THP == "always", Note, fmt.Sprintf("blocks of %s may get huge pages when some are free: large sizes "+
				"then have two speeds", units.Bytes(fp.HugePageBytes)),
				"echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"}),
		judged("aslr", fp.ASLR, "each process has a memory layout of its own, and samples average over them",
			fp.missing(fp.ASLR == "", "aslr"),
			fault{fp.ASLR != "2", Note, "memory layout is the same in all processes: samples repeat one layout's luck",
				"sudo sysctl kernel.randomize_va_space=2"}),
		judged("memlock", lock, mayLock, fp.missing(lock == "", "limits"),
			fault{limited && !fp.MayLock, Note,
				"without CAP_IPC_LOCK: of the cases with mlockall those are measured that fit", MoreLocked}),
		judged("perf-events", fp.PerfEventParanoid, "hardware counters ("+fp.PerfPMU+") can be read",
			fp.missing(notRead != nil, "perfEventParanoid"),
			fault{fp.PerfPMU == "" && !unknownPMU, Note,
				"the machine shows no hardware counters (usual in virtual machines)", ""},
			fault{level > 2, Note, "hardware counters are closed to ordinary users",
				"sudo sysctl kernel.perf_event_paranoid=2"}),
	}
}

// state judges what the machine does now. Above a load of 0.3 runnable tasks per CPU a sample is
// likely to compete with one of them; above 1 it must. The build and the large cases need about 1 GiB
// of memory, and 256 MiB are too little for either.
func (fp Fingerprint) state() []Finding {
	perCPU := fp.Load1 / float64(max(fp.CPUsOnline, 1))
	available, enough := fp.MemoryAvailableBytes, "enough for all cases"
	if limit := fp.CgroupMemoryBytes; limit > 0 && limit < available {
		available = limit
		enough += "; the cgroup's limit, not the machine's memory, is the bound"
	}
	const swapped = "memory ran short since boot; a page may have to be read back while a sample runs"
	noSwap := fp.onLinux("sudo swapoff -a")
	return []Finding{
		judged("load", fmt.Sprintf("%.2f on %d CPUs", fp.Load1, fp.CPUsOnline), "the machine was idle in the last minute",
			fp.doubtful(fp.CPUsOnline == 0, "load1"),
			fault{perCPU > 1, Bad, "more programs were running in the last minute than there are CPUs",
				seePrograms + "; wait a minute and look again"},
			fault{perCPU > 0.3, Warn, "other programs were running in the last minute",
				seePrograms + "; wait a minute and look again"}),
		judged("memory", fmt.Sprintf("%s available of %s", units.Bytes(available), units.Bytes(fp.MemoryBytes)), enough,
			fp.doubtful(fp.MemoryBytes == 0, "memoryAvailableBytes"),
			fault{available < 256<<20, Bad, "too little for a build and for large cases",
				"close programs, or raise the container's memory limit"},
			fault{available < 1<<30, Warn, "large cases may push other pages out, and then measure the disk",
				"close programs, or raise the container's memory limit"}),
		judged("swap", units.Bytes(fp.SwapUsedBytes)+" used of "+units.Bytes(fp.SwapBytes), "nothing is swapped out",
			fp.doubtful(fp.MemoryBytes == 0, "swapUsedBytes"),
			fault{fp.SwapUsedBytes > fp.MemoryBytes/10, Warn, swapped, noSwap},
			fault{fp.SwapUsedBytes > 0, Note, swapped, noSwap}),
		judged("power", fp.Power, "the machine does not run on a battery", fp.missing(fp.Power == "", "power"),
			fault{fp.Power == "battery", Warn, "firmware and kernel lower the clock to save the battery",
				"plug in the power supply"}),
		fp.heat(),
	}
}

// heat reads counts since boot. The Raspberry Pi's get_throttled, in
// hexadecimal without 0x, has bits for under-voltage, capped clock, throttled and
// soft temperature limit: 0 to 3 now, 16 to 19 since boot (Raspberry Pi
// documentation, vcgencmd).
func (fp Fingerprint) heat() Finding {
	const well = "heat has not slowed the CPUs since boot"
	if bits, err := strconv.ParseUint(strings.TrimPrefix(fp.FirmwareThrottled, "0x"), 16, 32); err == nil {
		return judged("thermal", fmt.Sprintf("get_throttled=%#x", bits), well,
			fault{bits&0xf != 0, Bad, "the firmware slows the CPU now, for heat or too low a voltage",
				"a stronger power supply, or cooling"},
			fault{bits != 0, Warn, "the firmware has slowed the CPU since boot, for heat or too low a voltage",
				"a stronger power supply, or cooling"})
	}
	return judged("thermal", fmt.Sprintf("%d events", fp.ThermalThrottles), well,
		fp.doubtful(fp.OS == "", "thermalThrottles"),
		fault{fp.ThermalThrottles > 0, Note, "heat has slowed the CPUs since boot",
			"improve cooling, then see whether the count still grows during a run"})
}

// minUnits is how many units of a kind a probe needs for its 5% tails to hold five
// of them.
const minUnits = 100

// findings judges the measured noise.
//
// Noise that comes in stretches (drift) is what makes samples taken one configuration after the other
// disagree and rounds necessary. Of independent units the autocorrelation is within ±2/√n in 95 of 100
// cases; half is far outside at any n that is accepted. 1% of a CPU is the least steal that ticks of
// 10 ms show in a second. The clock must not show in the shortest thing timed with it, a unit or a
// sample of some milliseconds: a microsecond is 0.1% of one.
func (p Probe) findings() []Finding {
	cpus := func(share *float64) (v float64, text string) {
		if share != nil {
			v = *share
		}
		return v, fmt.Sprintf("%.1f%% of a CPU", 100*v)
	}
	stolen, stolenText := cpus(p.StealShare)
	foreign, foreignText := cpus(p.ForeignShare)
	const gave, quieter = "the hypervisor gave time to other machines while measuring",
		"another instance type, a dedicated host, or a quieter hour"
	return []Finding{
		p.CPU.finding("noise-cpu", "of arithmetic"),
		p.Memory.finding("noise-memory", "of copying"),
		judged("drift", fmt.Sprintf("lag-1 autocorrelation %.2f (arithmetic), %.2f (copying)", p.CPU.Lag1, p.Memory.Lag1),
			"units are nearly independent of their neighbours",
			fault{min(p.CPU.Count, p.Memory.Count) < minUnits, Unknown, "too few units measured", ""},
			fault{max(p.CPU.Lag1, p.Memory.Lag1) > 0.5, Note, "the speed changes in stretches of time: sequential runs " +
				"will disagree, interleaved rounds will not", ""}),
		judged("steal", stolenText, "the hypervisor took no time away while measuring",
			fault{p.StealShare == nil, Unknown, "the machine does not count stolen time", ""},
			fault{stolen > 0.10, Bad, gave, quieter}, fault{stolen > 0.01, Warn, gave, quieter}),
		judged("foreign-cpu", foreignText, "other programs were quiet while measuring",
			fault{p.ForeignShare == nil, Unknown, "the machine does not count busy time", ""},
			fault{foreign > 0.10, Warn, "other programs ran while measuring", seePrograms}),
		judged("timer", fmt.Sprintf("%.3g ns a reading, steps of %.3g ns", 1e9*p.TimerCostSeconds,
			1e9*p.TimerResolutionSeconds), "the clock has small steps and is cheap to read",
			fault{p.TimerCostSeconds <= 0, Unknown, "not measured", ""},
			fault{max(p.TimerCostSeconds, p.TimerResolutionSeconds) > 1e-6 || p.TimerResolutionSeconds == 0, Warn,
				"the clock is slow or coarse: StopTimer and short samples are unreliable",
				"on Linux: cat /sys/devices/system/clocksource/clocksource0/current_clocksource; tsc is the fast one on x86"}),
	}
}

// finding judges how many units were disturbed. The steps 1, 5 and 20% of units
// more than 10% slow are a convention: at 1% a 100 ms sample of 100 units has one
// such, moving it by about a thousandth; at 20% the disturbance is the rule.
func (u Unit) finding(name, what string) Finding {
	spread := fmt.Sprintf("p5 to p95 spread %.2g%% of the median, longest interruption %.2g ms", 100*u.Spread,
		1e3*u.LongestGapSeconds)
	const hint = "stop other programs, pin the run to quiet CPUs (taskset -c), or expect more rounds"
	return judged(name, fmt.Sprintf("%.2g%% of %.2g ms units %s are more than 10%% slow, %.2g%% more than 50%%",
		100*u.Slow10Share, 1e3*u.MedianSeconds, what, 100*u.Slow50Share), spread,
		fault{u.Count < minUnits, Unknown, fmt.Sprintf("%d units measured, %d are needed", u.Count, minUnits), ""},
		fault{u.Slow10Share >= 0.20, Bad, spread, hint},
		fault{u.Slow10Share >= 0.05, Warn, spread, hint},
		fault{u.Slow10Share >= 0.01, Note, spread, ""})
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
