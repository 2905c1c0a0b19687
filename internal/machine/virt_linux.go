package machine

import (
	"math"
	"strings"
)

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
