package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cpuinfo holds the part of /proc/cpuinfo that is used.
type cpuinfo struct {
	processors int
	model      string   // by name, where the architecture prints one
	parts      []string // Arm cores, decoded, in order of first appearance
	hypervisor bool     // the x86 flag of CPUID leaf 1, ECX bit 31
}

// parseCPUInfo parses /proc/cpuinfo. It does not use procfs.CPUInfo, which supports only
// the format of the architecture it was compiled for (a captured arm64 tree could not be
// read on amd64), drops the fields that identify an Arm core, and panics on a line that
// ends in ":".
func parseCPUInfo(text string) cpuinfo {
	var info cpuinfo
	var core armCore
	end := func() {
		if name := core.name(); name != "" && !slices.Contains(info.parts, name) {
			info.parts = append(info.parts, name)
		}
		core = armCore{}
	}
	for line := range strings.SplitSeq(text, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "processor":
			end()
			info.processors++
		case "model name", "cpu model", "uarch", "cpu": // x86; mips; riscv; ppc
			if info.model == "" {
				info.model = strings.Join(strings.Fields(value), " ")
			}
		case "flags":
			info.hypervisor = info.hypervisor || slices.Contains(strings.Fields(value), "hypervisor")
		case "CPU implementer":
			core.implementer = value
		case "CPU part":
			core.part = value
		case "CPU variant":
			core.variant = value
		case "CPU revision":
			core.revision = value
		}
	}
	end()
	return info
}

// readCPU reads the model and counts the CPUs. It returns the parsed cpuinfo, in which
// the hypervisor is looked up later.
func readCPU(t tree, fp *Fingerprint) cpuinfo {
	text, err := t.text("proc/cpuinfo")
	if err != nil {
		fp.note("cpuModel", "%v", err)
	}
	info := parseCPUInfo(text)
	fp.CPUModel = info.model
	if len(info.parts) > 0 {
		fp.CPUModel = strings.Join(info.parts, " + ")
	}
	if fp.CPUModel == "" && err == nil {
		fp.note("cpuModel", "/proc/cpuinfo names none")
	}
	if fp.Arch == "" { // a kernel before 6.1
		switch {
		case len(info.parts) > 0:
			fp.Arch = "arm64"
		case strings.Contains(text, "vendor_id"):
			fp.Arch = "amd64"
		default:
			fp.note("arch", "neither /proc/sys/kernel/arch nor /proc/cpuinfo tells")
		}
	}

	online := t.cpuList(fp, "cpusOnline", "sys/devices/system/cpu/online")
	fp.CPUsOnline = len(online)
	if fp.CPUsOnline == 0 {
		fp.CPUsOnline = info.processors
	}
	fp.CPUs = len(t.usable(fp, online))
	if fp.CPUs == 0 {
		fp.CPUs = fp.CPUsOnline
	}
	fp.SMT = readSMT(t, fp)
	return info
}

func (t tree) cpuList(fp *Fingerprint, field, rel string) []int {
	s := t.textOr(fp, field, rel)
	cpus, err := parseCPUList(s)
	if err != nil {
		fp.note(field, "reading /%s: %v", rel, err)
	}
	return cpus
}

// usable sets the CPUs of this process's affinity mask. The mask may name CPUs that do
// not exist, hence the intersection with those online.
func (t tree) usable(fp *Fingerprint, online []int) []int {
	status, err := t.text("proc/self/status")
	if err != nil {
		fp.note("cpus", "taking all CPUs online as usable: %v", err)
		return online
	}
	_, list, _ := strings.Cut(status, "Cpus_allowed_list:")
	list, _, _ = strings.Cut(list, "\n")
	allowed, err := parseCPUList(list)
	if err != nil || len(allowed) == 0 {
		fp.note("cpus", "taking all CPUs online as usable: /proc/self/status has no readable Cpus_allowed_list")
		return online
	}
	if len(online) == 0 {
		return allowed
	}
	return slices.DeleteFunc(allowed, func(c int) bool { return !slices.Contains(online, c) })
}

// readSMT reads the kernel's switch, or on kernels before 4.19 whether CPU 0 has a sibling.
func readSMT(t tree, fp *Fingerprint) string {
	if s := t.get("sys/devices/system/cpu/smt/control"); s != "" {
		return s
	}
	siblings := t.get("sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
	cpus, err := parseCPUList(siblings)
	switch {
	case err != nil || len(cpus) == 0:
		fp.note("smt", "neither /sys/devices/system/cpu/smt/control nor the topology of CPU 0 can be read")
		return ""
	case len(cpus) > 1:
		return "on"
	}
	return "off"
}

// readCaches reads every CPU's caches and keeps one of each kind, because a machine
// with 128 CPUs has 400 of them, and one with two kinds of core has two kinds of
// L1.
func readCaches(t tree, fp *Fingerprint) {
	type instance struct {
		kind   Cache
		shared string
	}
	seen := map[instance]bool{}
	for _, dir := range t.glob("sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*") {
		c, err := readCache(t, dir)
		if err != nil {
			fp.note("caches", "%v", err)
			continue
		}
		kind := Cache{Level: c.Level, Type: c.Type, Bytes: c.Bytes}
		if seen[instance{kind, c.SharedBy}] {
			continue
		}
		seen[instance{kind, c.SharedBy}] = true
		at := slices.IndexFunc(fp.Caches, func(x Cache) bool {
			return x.Level == c.Level && x.Type == c.Type && x.Bytes == c.Bytes
		})
		if at < 0 {
			fp.Caches = append(fp.Caches, c)
		} else {
			fp.Caches[at].Count++
		}
	}
	if len(fp.Caches) == 0 {
		fp.note("caches", "none below /sys/devices/system/cpu/cpu*/cache (common in virtual machines and on Arm)")
	}
	slices.SortStableFunc(fp.Caches, func(a, b Cache) int {
		if a.Level != b.Level {
			return a.Level - b.Level
		}
		return strings.Compare(a.Type, b.Type)
	})
}

func readCache(t tree, dir string) (Cache, error) {
	c := Cache{Type: t.get(dir + "/type"), SharedBy: t.get(dir + "/shared_cpu_list"), Count: 1}
	level, err := strconv.Atoi(t.get(dir + "/level"))
	if err != nil {
		return Cache{}, fmt.Errorf("reading /%s/level: %q is not a number", dir, shorten(t.get(dir+"/level")))
	}
	c.Level = level
	if c.Bytes, err = parseBytes(t.get(dir + "/size")); err != nil {
		return Cache{}, fmt.Errorf("reading /%s/size: %w", dir, err)
	}
	return c, nil
}

// armCore holds the fields of the register MIDR_EL1 that /proc/cpuinfo prints:
// implementer, part, variant and revision.
type armCore struct{ implementer, part, variant, revision string }

// armImplementers are the codes of MIDR_EL1[31:24].
var armImplementers = map[uint64]string{
	0x41: "Arm", 0x42: "Broadcom", 0x43: "Cavium", 0x46: "Fujitsu", 0x48: "HiSilicon",
	0x4e: "NVIDIA", 0x50: "APM", 0x51: "Qualcomm", 0x53: "Samsung", 0x61: "Apple",
	0x6d: "Microsoft", 0x70: "Phytium", 0xc0: "Ampere",
}

// armParts are the codes of MIDR_EL1[15:4], below the implementer's. Sources:
// Linux, arch/arm64/include/asm/cputype.h, and util-linux, sys-utils/lscpu-arm.c,
// which take them from each core's Technical Reference Manual. Only cores that run
// Go on Linux today are listed; another is shown by its numbers.
var armParts = map[[2]uint64]string{
	{0x41, 0xc07}: "Cortex-A7", {0x41, 0xc08}: "Cortex-A8", {0x41, 0xc09}: "Cortex-A9",
	{0x41, 0xc0f}: "Cortex-A15", {0x41, 0xb76}: "ARM1176",
	{0x41, 0xd03}: "Cortex-A53", {0x41, 0xd04}: "Cortex-A35", {0x41, 0xd05}: "Cortex-A55",
	{0x41, 0xd07}: "Cortex-A57", {0x41, 0xd08}: "Cortex-A72", {0x41, 0xd09}: "Cortex-A73",
	{0x41, 0xd0a}: "Cortex-A75", {0x41, 0xd0b}: "Cortex-A76", {0x41, 0xd0d}: "Cortex-A77",
	{0x41, 0xd41}: "Cortex-A78", {0x41, 0xd42}: "Cortex-A78AE", {0x41, 0xd4b}: "Cortex-A78C",
	{0x41, 0xd46}: "Cortex-A510", {0x41, 0xd47}: "Cortex-A710", {0x41, 0xd4d}: "Cortex-A715",
	{0x41, 0xd81}: "Cortex-A720", {0x41, 0xd87}: "Cortex-A725", {0x41, 0xd85}: "Cortex-X925",
	{0x41, 0xd44}: "Cortex-X1", {0x41, 0xd48}: "Cortex-X2", {0x41, 0xd4e}: "Cortex-X3",
	{0x41, 0xd0c}: "Neoverse-N1", {0x41, 0xd49}: "Neoverse-N2", {0x41, 0xd8e}: "Neoverse-N3",
	{0x41, 0xd40}: "Neoverse-V1", {0x41, 0xd4f}: "Neoverse-V2", {0x41, 0xd84}: "Neoverse-V3",
	{0x41, 0xd4a}: "Neoverse-E1",
	{0x43, 0x0a1}: "ThunderX", {0x43, 0x0af}: "ThunderX2", {0x42, 0x516}: "ThunderX2",
	{0x46, 0x001}: "A64FX", {0x48, 0xd01}: "Kunpeng-920", {0x4e, 0x004}: "Carmel",
	{0x61, 0x022}: "Icestorm-M1", {0x61, 0x023}: "Firestorm-M1",
	{0x61, 0x032}: "Blizzard-M2", {0x61, 0x033}: "Avalanche-M2",
	{0x6d, 0xd49}: "Azure Cobalt 100", // a Neoverse-N2
	{0xc0, 0xac3}: "Ampere-1", {0xc0, 0xac4}: "Ampere-1a",
}

// name returns a name such as "Cortex-A72 r0p3", "Arm part 0xabc r1p0" for an unlisted
// part, or "" where cpuinfo printed no part.
func (c armCore) name() string {
	part, err := strconv.ParseUint(c.part, 0, 16)
	if err != nil {
		return ""
	}
	implementer, err := strconv.ParseUint(c.implementer, 0, 8)
	if err != nil {
		return ""
	}
	name, ok := armParts[[2]uint64{implementer, part}]
	if !ok {
		vendor, ok := armImplementers[implementer]
		if !ok {
			vendor = fmt.Sprintf("Arm implementer 0x%02x", implementer)
		}
		name = fmt.Sprintf("%s part 0x%03x", vendor, part)
	}
	variant, err := strconv.ParseUint(c.variant, 0, 8)
	if err != nil || strings.TrimLeft(c.revision, "0123456789") != "" || c.revision == "" {
		return name
	}
	return fmt.Sprintf("%s r%dp%s", name, variant, shorten(c.revision))
}
