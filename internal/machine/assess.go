package machine

import (
	"fmt"
	"strings"
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

// assessVirtualization cannot see neighbours; it says whether they would show as
// steal. A count of 0 since boot may mean that none was stolen or that the
// hypervisor does not say.
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
		f.Level, f.Detail = Note, fmt.Sprintf("other machines on the host take time, and the hypervisor reports it: %.3g "+
			"CPU seconds stolen since boot", fp.StealSeconds)
	}
	return f
}

// assessQuota: over the quota, all threads of the group stop until the next period,
// of 100 ms by default (Documentation/scheduler/sched-bwc.rst).
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
