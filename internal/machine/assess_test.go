package machine

import (
	"encoding/json"
	"strings"
	"testing"
)

// fit is a machine with nothing to find fault with.
func fit() (Fingerprint, Probe) {
	none := 0.0
	u := Unit{Count: 1000, MedianSeconds: 1e-3, Spread: 0.01, Slow10Share: 0.002, LongestGapSeconds: 1e-4, Lag1: 0.02}
	return Fingerprint{
			OS: "linux", CPUs: 8, CPUsOnline: 8, Governor: "performance", Turbo: "off", SMT: "off",
			Virtualization: "none",
			THP:            "madvise", HugePageBytes: 2 << 20, ASLR: "2", PerfEventParanoid: "1", PerfPMU: "cpu",
			Limits: map[string]string{"memlock": "unlimited"}, Load1: 0.1, MemoryBytes: 16 << 30,
			MemoryAvailableBytes: 12 << 30,
			SwapBytes:            1 << 30, Power: "mains",
		}, Probe{Seconds: 2, CPU: u, Memory: u, StealShare: &none, ForeignShare: &none,
			TimerCostSeconds: 40e-9, TimerResolutionSeconds: 30e-9}
}

func TestAssessFit(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Assess(fit()) {
		if f.Level != OK || f.Value == "" || f.Detail == "" || f.Hint != "" {
			t.Errorf("a fit machine has the finding %+v", f)
		}
		if seen[f.Name] {
			t.Errorf("two findings are named %s", f.Name)
		}
		seen[f.Name] = true
	}
}

// Each fault changes its own finding, says what to do where there is something, and
// leaves all other findings well.
func TestAssess(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		fault  string
		change func(*Fingerprint, *Probe)
		name   string
		level  Level
		hint   string // a part of it
	}{
		{"one CPU", func(f *Fingerprint, _ *Probe) { f.CPUs = 1 }, "cpus", Warn, "two CPUs"},
		{"CPUs unknown", func(f *Fingerprint, _ *Probe) { f.CPUs = 0; f.note("cpus", "x") }, "cpus", Unknown, ""},
		{"powersave", func(f *Fingerprint, _ *Probe) {
			f.Governor = "powersave"
		}, "governor", Warn, "cpupower frequency-set -g performance"},
		{"two governors", func(f *Fingerprint, _ *Probe) {
			f.Governor = "performance,schedutil"
		}, "governor", Warn, "cpupower"},
		{"no governor", func(f *Fingerprint, _ *Probe) {
			f.Governor = ""
			f.note("governor", "none")
		}, "governor", Unknown, ""},
		{"turbo of intel_pstate", func(f *Fingerprint, _ *Probe) {
			f.Turbo, f.FrequencyDriver = "on", "intel_pstate"
		}, "turbo", Note, "intel_pstate/no_turbo"},
		{"turbo of others", func(f *Fingerprint, _ *Probe) {
			f.Turbo, f.FrequencyDriver = "on", "amd-pstate-epp"
		}, "turbo", Note, "cpufreq/boost"},
		{"SMT", func(f *Fingerprint, _ *Probe) { f.SMT = "on" }, "smt", Note, "smt/control"},
		{"steal visible", func(f *Fingerprint, _ *Probe) {
			f.Virtualization, f.StealSeconds = "kvm", 3
		}, "virtualization", Note, ""},
		{"steal invisible", func(f *Fingerprint, _ *Probe) {
			f.Virtualization = "kvm, docker"
		}, "virtualization", Warn, "dedicated"},
		{"container only", func(f *Fingerprint, _ *Probe) { f.Virtualization = "docker" }, "virtualization", Note, ""},
		{"quota below CPUs", func(f *Fingerprint, _ *Probe) { f.CgroupCPUQuota = 2.5 }, "cgroup-quota", Warn, "--cpus"},
		{"quota below one", func(f *Fingerprint, _ *Probe) { f.CgroupCPUQuota = 0.5 }, "cgroup-quota", Bad, "--cpus"},
		{"quota of all", func(f *Fingerprint, _ *Probe) { f.CgroupCPUQuota = 8 }, "cgroup-quota", OK, ""},
		{"huge pages", func(f *Fingerprint, _ *Probe) { f.THP = "always" }, "thp", Note, "echo madvise"},
		{"ASLR off", func(f *Fingerprint, _ *Probe) { f.ASLR = "0" }, "aslr", Note, "randomize_va_space=2"},
		{"memlock", func(f *Fingerprint, _ *Probe) {
			f.Limits = map[string]string{"memlock": "8388608"}
		}, "memlock", Note, "prlimit"},
		{"no limits", func(f *Fingerprint, _ *Probe) { f.Limits = nil }, "memlock", Unknown, ""},
		{"paranoid", func(f *Fingerprint, _ *Probe) {
			f.PerfEventParanoid = "4"
		}, "perf-events", Note, "perf_event_paranoid=2"},
		{"no counters", func(f *Fingerprint, _ *Probe) { f.PerfPMU = "" }, "perf-events", Note, ""},
		{"load", func(f *Fingerprint, _ *Probe) { f.Load1 = 2.5 }, "load", Warn, "top"},
		{"load at the limit", func(f *Fingerprint, _ *Probe) { f.Load1 = 2.4 }, "load", OK, ""},
		{"overload", func(f *Fingerprint, _ *Probe) { f.Load1 = 8.1 }, "load", Bad, "top"},
		{"little memory", func(f *Fingerprint, _ *Probe) {
			f.MemoryAvailableBytes = 600 << 20
		}, "memory", Warn, "close programs"},
		{"little memory in the cgroup", func(f *Fingerprint, _ *Probe) {
			f.CgroupMemoryBytes = 100 << 20
		}, "memory", Bad, "container's"},
		{"some swap", func(f *Fingerprint, _ *Probe) { f.SwapUsedBytes = 1 << 20 }, "swap", Note, "swapoff"},
		{"much swap", func(f *Fingerprint, _ *Probe) { f.SwapUsedBytes = 2 << 30 }, "swap", Warn, "swapoff"},
		{"battery", func(f *Fingerprint, _ *Probe) { f.Power = "battery" }, "power", Warn, "plug in"},
		{"throttled", func(f *Fingerprint, _ *Probe) { f.ThermalThrottles = 3 }, "thermal", Note, "cooling"},
		{"Pi well", func(f *Fingerprint, _ *Probe) { f.FirmwareThrottled = "0" }, "thermal", OK, ""},
		{"Pi was throttled", func(f *Fingerprint, _ *Probe) {
			f.FirmwareThrottled = "50000"
		}, "thermal", Warn, "power supply"},
		{"Pi is throttled", func(f *Fingerprint, _ *Probe) {
			f.FirmwareThrottled = "0x50005"
		}, "thermal", Bad, "power supply"},
		{"some noise", func(_ *Fingerprint, p *Probe) { p.CPU.Slow10Share = 0.02 }, "noise-cpu", Note, ""},
		{"noise", func(_ *Fingerprint, p *Probe) { p.CPU.Slow10Share = 0.05 }, "noise-cpu", Warn, "taskset"},
		{"much noise", func(_ *Fingerprint, p *Probe) { p.Memory.Slow10Share = 0.25 }, "noise-memory", Bad, "taskset"},
		{"drift", func(_ *Fingerprint, p *Probe) { p.Memory.Lag1 = 0.7 }, "drift", Note, ""},
		{"steal", func(_ *Fingerprint, p *Probe) { p.StealShare = share(0.05) }, "steal", Warn, "dedicated"},
		{"much steal", func(_ *Fingerprint, p *Probe) { p.StealShare = share(0.3) }, "steal", Bad, "dedicated"},
		{"steal not counted", func(_ *Fingerprint, p *Probe) { p.StealShare = nil }, "steal", Unknown, ""},
		{"others", func(_ *Fingerprint, p *Probe) { p.ForeignShare = share(0.5) }, "foreign-cpu", Warn, "top"},
		{"slow clock", func(_ *Fingerprint, p *Probe) { p.TimerCostSeconds = 2e-6 }, "timer", Warn, "clocksource"},
		{"coarse clock", func(_ *Fingerprint, p *Probe) { p.TimerResolutionSeconds = 0 }, "timer", Warn, "clocksource"},
	} {
		fp, probe := fit()
		c.change(&fp, &probe)
		for _, f := range Assess(fp, probe) {
			switch {
			case f.Name != c.name && f.Level != OK:
				t.Errorf("%s: the finding %+v has nothing to do with it", c.fault, f)
			case f.Name == c.name && (f.Level != c.level || !strings.Contains(f.Hint, c.hint)):
				t.Errorf("%s: %+v, want %v with a hint on %q", c.fault, f, c.level, c.hint)
			case f.Level >= Warn && f.Hint == "":
				t.Errorf("%s: %+v has no hint", c.fault, f)
			}
		}
	}
}

func TestAssessSaysHowNoisy(t *testing.T) {
	fp, p := fit()
	p.CPU.Slow10Share, p.CPU.Slow50Share = 0.05, 0.01
	for _, f := range Assess(fp, p) {
		if f.Name == "noise-cpu" {
			if want := "5% of 1 ms units of arithmetic are more than 10% slow, 1% more than 50%"; f.Value != want {
				t.Errorf("got %q, want %q", f.Value, want)
			}
			return
		}
	}
	t.Error("no finding is named noise-cpu")
}

func TestLevelJSON(t *testing.T) {
	b, err := json.Marshal([]Finding{{Name: "a", Level: Warn}, {Name: "b", Level: Level(9)}})
	if want := `[{"name":"a","level":"warn","value":"","detail":""},{"name":"b","level":"Level(9)","value":"","detail":""}]`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
}
