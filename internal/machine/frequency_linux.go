package machine

import (
	"slices"
	"strconv"
	"strings"
)

// readFrequency reads cpufreq: who sets the clock, within which bounds, and whether
// turbo is allowed. It does not use sysfs.SystemCpufreq of procfs, which fails
// altogether when one file of one CPU is missing, as is common on Arm boards.
func readFrequency(t tree, fp *Fingerprint) {
	var governors []string
	for _, dir := range t.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq") {
		if g := t.get(dir + "/scaling_governor"); g != "" && !slices.Contains(governors, g) {
			governors = append(governors, g)
		}
		if fp.FrequencyDriver == "" {
			fp.FrequencyDriver = t.get(dir + "/scaling_driver")
		}
		if hz := t.kilohertz(dir + "/scaling_min_freq"); hz > 0 && (fp.FrequencyMinHz == 0 || hz < fp.FrequencyMinHz) {
			fp.FrequencyMinHz = hz
		}
		fp.FrequencyMaxHz = max(fp.FrequencyMaxHz, t.kilohertz(dir+"/scaling_max_freq"))
	}
	slices.Sort(governors)
	fp.Governor = strings.Join(governors, ",")
	if fp.Governor == "" {
		fp.note("governor", "no CPU has /sys/devices/system/cpu/cpu*/cpufreq (in a virtual machine the host sets "+
			"the clock)")
	}
	fp.Turbo = readTurbo(t, fp)
}

func (t tree) kilohertz(rel string) int64 {
	khz, err := strconv.ParseInt(t.get(rel), 10, 40)
	if err != nil {
		return 0
	}
	return khz * 1000
}

// readTurbo reads the switch of intel_pstate, or the one of all other drivers
// (Documentation/admin-guide/pm/{intel_pstate,cpufreq}.rst). Having neither is
// normal on Arm and in virtual machines.
func readTurbo(t tree, fp *Fingerprint) string {
	noTurbo := t.get("sys/devices/system/cpu/intel_pstate/no_turbo")
	boost := t.get("sys/devices/system/cpu/cpufreq/boost")
	switch {
	case noTurbo == "0" || noTurbo == "" && boost == "1":
		return "on"
	case noTurbo == "1" || noTurbo == "" && boost == "0":
		return "off"
	}
	fp.note("turbo", "the kernel has neither cpu/intel_pstate/no_turbo nor cpu/cpufreq/boost below /sys/devices/system")
	return ""
}

// readThermal counts how often heat slowed the CPUs since boot. x86 counts events per
// core and per package (arch/x86: therm_throt.c; a package's count is shown by each
// of its CPUs, so the highest is taken); the Raspberry Pi's firmware has bits
// instead.
func readThermal(t tree, fp *Fingerprint) {
	fp.FirmwareThrottled = t.get("sys/devices/platform/soc/soc:firmware/get_throttled")
	dirs := t.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle")
	var packages int64
	for _, dir := range dirs {
		core, err := t.number(dir + "/core_throttle_count")
		if err != nil {
			fp.note("thermalThrottles", "%v", err)
			continue
		}
		fp.ThermalThrottles += max(core, 0)
		if n, err := t.number(dir + "/package_throttle_count"); err == nil {
			packages = max(packages, n)
		}
	}
	fp.ThermalThrottles += packages
	if len(dirs) == 0 {
		fp.note("thermalThrottles", "no CPU has /sys/devices/system/cpu/cpu*/thermal_throttle")
	}
}

// readPower reports whether a battery drives the machine. Batteries of mice and the like
// have the scope "Device" (Documentation/ABI/testing/sysfs-class-power).
func readPower(t tree, fp *Fingerprint) {
	if !t.exists("sys/class/power_supply") {
		fp.note("power", "/sys/class/power_supply does not exist")
		return
	}
	fp.Power = "mains"
	for _, dir := range t.glob("sys/class/power_supply/*") {
		if t.get(dir+"/type") == "Battery" && t.get(dir+"/scope") != "Device" && t.get(dir+"/status") == "Discharging" {
			fp.Power = "battery"
		}
	}
}
