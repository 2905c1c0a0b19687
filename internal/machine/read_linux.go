package machine

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// ReadFingerprint reads the machine whose proc/ and sys/ lie below root: "" or "/" is
// the live one, anything else a captured tree, of any architecture. It fails only where
// root holds no proc/; anything else that is missing or garbled becomes a note.
//
// The limits are those of this process. Go raises its own soft limit of open files at
// start (os/rlimit.go) and restores it for its children, so nofile is the limit that a
// Go benchmark has, not the one the shell shows.
func ReadFingerprint(root string) (Fingerprint, error) {
	if root == "" {
		root = "/"
	}
	t := tree{root: filepath.Clean(root)}
	pfs, err := procfs.NewFS(t.path("proc"))
	if err != nil {
		return Fingerprint{}, fmt.Errorf("reading the machine below %s: %w", root, err)
	}
	fp := Fingerprint{OS: "linux"}
	readIdentity(t, &fp)
	info := readCPU(t, &fp)
	readCaches(t, &fp)
	readFrequency(t, &fp)
	readKernelSettings(t, &fp)
	readMemory(t, &fp, pfs)
	readThermal(t, &fp)
	readPower(t, &fp)
	readLoad(t, &fp, pfs)
	leafQuota := readProcess(t, &fp, pfs)
	readVirtualization(t, &fp, info)
	if t.root == "/" {
		fp.PageBytes = os.Getpagesize()
		fp.Arch = runtime.GOARCH
	} else {
		fp.note("pageBytes", "known for the live machine only")
	}
	fp.GOMAXPROCS = defaultGOMAXPROCS(fp.CPUs, leafQuota)
	return fp, nil
}

// readIdentity reads the names: host, kernel, architecture, board.
func readIdentity(t tree, fp *Fingerprint) {
	fp.Hostname = t.textOr(fp, "hostname", "proc/sys/kernel/hostname")
	fp.Kernel = t.textOr(fp, "kernel", "proc/sys/kernel/osrelease")
	fp.BootID = t.textOr(fp, "bootID", "proc/sys/kernel/random/boot_id")
	switch arch := t.get("proc/sys/kernel/arch"); arch { // since Linux 6.1
	case "x86_64":
		fp.Arch = "amd64"
	case "aarch64":
		fp.Arch = "arm64"
	default:
		fp.Arch = arch
	}
	vendor, product := t.get("sys/class/dmi/id/sys_vendor"), t.get("sys/class/dmi/id/product_name")
	switch model := t.get("proc/device-tree/model"); {
	case product != "":
		fp.Board = product
		if !strings.HasPrefix(product, vendor) { // "Google", "Google Compute Engine"
			fp.Board = vendor + " " + product
		}
	case model != "":
		fp.Board = model
	default:
		fp.note("board", "neither /sys/class/dmi/id/product_name nor /proc/device-tree/model can be read")
	}
}

// readKernelSettings reads what an administrator can change and that moves results.
func readKernelSettings(t tree, fp *Fingerprint) {
	const thp = "sys/kernel/mm/transparent_hugepage/"
	fp.THP = t.selectedOr(fp, "thp", thp+"enabled")
	fp.THPDefrag = t.selectedOr(fp, "thpDefrag", thp+"defrag")
	fp.HugePageBytes = t.numberOr(fp, "hugePageBytes", thp+"hpage_pmd_size")
	fp.ASLR = t.textOr(fp, "aslr", "proc/sys/kernel/randomize_va_space")
	fp.PerfEventParanoid = t.textOr(fp, "perfEventParanoid", "proc/sys/kernel/perf_event_paranoid")

	// A core's counters are the device cpu, or on hybrid machines cpu_core and
	// cpu_atom, or on arm64 armv8_pmuv3_0, armv8_cortex_a72 and the like.
	for _, pattern := range []string{"cpu", "cpu_core", "armv8_*", "armv9_*"} {
		if found := t.glob("sys/bus/event_source/devices/" + pattern); len(found) > 0 {
			fp.PerfPMU = filepath.Base(found[0])
			return
		}
	}
	if !t.exists("sys/bus/event_source/devices") {
		fp.note("perfPMU", "/sys/bus/event_source/devices does not exist")
	}
}

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

// readVirtualization reads the layers between this process and the hardware: the
// hypervisor, then the container.
func readVirtualization(t tree, fp *Fingerprint, info cpuinfo) {
	var layers []string
	if h := readHypervisor(t, fp, info); h != "" {
		layers = append(layers, h)
	}
	if c := t.container(); c != "" {
		layers = append(layers, c)
	}
	fp.Virtualization = "none"
	if len(layers) > 0 {
		fp.Virtualization = strings.Join(layers, ", ")
	}
	stat := t.textOr(fp, "stealSeconds", "proc/stat")
	if _, _, steal, ok := parseStat([]byte(stat)); ok && !math.IsNaN(steal) {
		fp.StealSeconds = steal
	} else if stat != "" {
		fp.note("stealSeconds", "the first line of /proc/stat does not tell")
	}
}

// readHypervisor returns the hypervisor's name, "unknown hypervisor", or "" for none.
// x86 has a CPUID flag; elsewhere only the firmware's tables and the device tree reveal
// one.
func readHypervisor(t tree, fp *Fingerprint, info cpuinfo) string {
	if strings.Contains(strings.ToLower(fp.Kernel), "microsoft") { // WSL names its kernel so
		return "wsl"
	}
	if h := hypervisorOf(t.get("sys/class/dmi/id/sys_vendor"), t.get("sys/class/dmi/id/product_name")); h != "" {
		return h
	}
	switch compatible := t.get("proc/device-tree/hypervisor/compatible"); {
	case strings.Contains(compatible, "kvm"):
		return "kvm"
	case compatible != "":
		return strings.ReplaceAll(compatible, "\x00", " ")
	case t.get("proc/device-tree/compatible") == "linux,dummy-virt": // QEMU's "virt" board
		return "qemu"
	}
	if h := t.get("sys/hypervisor/type"); h != "" {
		return h
	}
	if !info.hypervisor {
		if info.processors == 0 || fp.Arch != "amd64" && fp.Board == "" {
			fp.note("virtualization", "nothing readable would show a hypervisor: no CPU flag, no firmware table, no "+
				"device tree")
		}
		return ""
	}
	// A guest without DMI (a microVM) is recognised by its paravirtual clock.
	clocks := t.get("sys/devices/system/clocksource/clocksource0/available_clocksource")
	switch {
	case strings.Contains(clocks, "kvm-clock"):
		return "kvm"
	case strings.Contains(clocks, "hyperv"):
		return "hyperv"
	case strings.Contains(clocks, "xen"):
		return "xen"
	}
	return "unknown hypervisor"
}

// container returns the kind of container, or "". A container may hide each of these
// signs, and a virtual machine made from a container image may carry /.dockerenv.
func (t tree) container() string {
	if s := t.get("run/systemd/container"); s != "" {
		return s
	}
	switch {
	case t.exists("run/.containerenv"):
		return "podman"
	case t.exists(".dockerenv"):
		return "docker"
	}
	groups := t.get("proc/self/cgroup")
	for _, known := range []struct{ sign, name string }{
		{"kubepods", "kubernetes"}, {"docker", "docker"}, {"libpod", "podman"}, {"lxc", "lxc"},
		{"containerd", "containerd"},
	} {
		// A path element that begins with the sign, unless it is a service: the
		// daemon itself runs in system.slice/docker.service.
		for element := range strings.FieldsFuncSeq(groups, func(r rune) bool { return r == '/' || r == '\n' }) {
			if strings.HasPrefix(element, known.sign) && !strings.HasSuffix(element, ".service") {
				return known.name
			}
		}
	}
	return ""
}

// readCgroup reads the process's CPU and memory limits: the tightest of its group and
// all parents that can be seen. It returns the quota of its own group too.
func readCgroup(t tree, fp *Fingerprint, pfs procfs.FS, self procfs.Proc) (leafQuota float64) {
	groups, err := self.Cgroups()
	var mounts []*procfs.MountInfo
	if err == nil {
		mounts, err = pfs.GetMounts()
	}
	if err != nil {
		fp.note("cgroupCPUQuota", "finding the cgroup: %s", t.relative(err))
		fp.note("cgroupMemoryBytes", "finding the cgroup: %s", t.relative(err))
		return 0
	}
	dirs, v2, err := cgroupDirs(groups, mounts, "cpu")
	if err != nil {
		fp.note("cgroupCPUQuota", "%v", err)
	}
	for i, dir := range dirs {
		quota := t.cpuQuota(dir, v2)
		if i == 0 {
			leafQuota = quota
		}
		if quota > 0 && (fp.CgroupCPUQuota == 0 || quota < fp.CgroupCPUQuota) {
			fp.CgroupCPUQuota = quota
		}
	}
	dirs, v2, err = cgroupDirs(groups, mounts, "memory")
	if err != nil {
		fp.note("cgroupMemoryBytes", "%v", err)
	}
	for _, dir := range dirs {
		file := "/memory.limit_in_bytes"
		if v2 {
			file = "/memory.max"
		}
		// Version 1 writes "no limit" as a number near 2^63.
		n, err := strconv.ParseInt(t.get(dir+file), 10, 64)
		if err == nil && n > 0 && n < 1<<62 && (fp.CgroupMemoryBytes == 0 || n < fp.CgroupMemoryBytes) {
			fp.CgroupMemoryBytes = n
		}
	}
	return leafQuota
}

// cpuQuota gives CPUs' worth of time per period, or 0 for no limit or no file (the
// root group has none).
func (t tree) cpuQuota(dir string, v2 bool) float64 {
	quota, period := t.get(dir+"/cpu.cfs_quota_us"), t.get(dir+"/cpu.cfs_period_us")
	if v2 {
		quota, period, _ = strings.Cut(t.get(dir+"/cpu.max"), " ")
	}
	q, err := strconv.ParseInt(quota, 10, 64)
	if err != nil || q <= 0 { // "max", "-1"
		return 0
	}
	p, err := strconv.ParseInt(period, 10, 64)
	if err != nil || p <= 0 {
		return 0
	}
	return float64(q) / float64(p)
}

// cgroupDirs finds the directories, in the tree, of the process's group for a
// controller and of its parents, the group itself first. As in the kernel, a
// version 1 hierarchy that has the controller wins over version 2.
func cgroupDirs(groups []procfs.Cgroup, mounts []*procfs.MountInfo, controller string) (dirs []string, v2 bool,
	err error) {
	group := -1
	for i, g := range groups {
		if slices.Contains(g.Controllers, controller) {
			group, v2 = i, false
			break
		}
		if g.HierarchyID == 0 {
			group, v2 = i, true
		}
	}
	if group < 0 {
		return nil, false, fmt.Errorf("the process is in no cgroup with the controller %s", controller)
	}
	for _, m := range mounts {
		_, has := m.SuperOptions[controller]
		if v2 && m.FSType != "cgroup2" || !v2 && (m.FSType != "cgroup" || !has) {
			continue
		}
		// The group's path counts from the hierarchy's root, of which a container may
		// have mounted only a part. Where the path lies outside that part, the top of
		// the mount is the closest group that can be read.
		rel, ok := strings.CutPrefix(path.Clean("/"+groups[group].Path), path.Clean(m.Root))
		if !ok {
			rel = "/"
		}
		for rel = path.Clean("/" + rel); ; rel = path.Dir(rel) {
			dirs = append(dirs, strings.TrimPrefix(path.Join(m.MountPoint, rel), "/"))
			if rel == "/" {
				return dirs, v2, nil
			}
		}
	}
	return nil, v2, fmt.Errorf("no cgroup file system with the controller %s is mounted", controller)
}
