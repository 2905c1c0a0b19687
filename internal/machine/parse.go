package machine

import (
	"bytes"
	"math"
	"strings"
)

// These parsers are written by hand, and procfs is not used, because they run
// before and after every sample: procfs.Stat reads and splits the line of every CPU
// and interrupt and makes hundreds of allocations, PSIStatsForResource goes through
// fmt.Sscanf. These read one line and allocate nothing.

const tick = 0.01 // seconds of USER_HZ

// parseStat reads the first line of /proc/stat,
//
//	cpu  user nice system idle iowait irq softirq steal guest guest_nice
//
// in ticks. Guest time is part of user and nice already (proc_stat(5)). Fields from
// iowait on came with later kernels: where steal is missing it is NaN. Without the
// first four it reports false.
func parseStat(b []byte) (busy, idle, steal float64, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte("cpu "))
	if !ok {
		return 0, 0, 0, false
	}
	var f [8]float64 // user nice system idle iowait irq softirq steal
	n := 0
	for n < len(f) {
		b = bytes.TrimLeft(b, " ")
		v, rest, ok := parseUint(b)
		if !ok {
			break
		}
		f[n] = float64(v) * tick
		n++
		b = rest
	}
	if n < 4 {
		return 0, 0, 0, false
	}
	steal = f[7]
	if n < 8 {
		steal = math.NaN()
	}
	return f[0] + f[1] + f[2] + f[5] + f[6], f[3] + f[4], steal, true
}

// parsePSI gives the seconds of the line "some" of a file in /proc/pressure:
//
//	some avg10=0.00 avg60=0.00 avg300=0.00 total=12345
//
// total is in microseconds.
func parsePSI(b []byte) (seconds float64, ok bool) {
	for len(b) > 0 {
		line := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		if !bytes.HasPrefix(line, []byte("some ")) {
			continue
		}
		i := bytes.Index(line, []byte(" total="))
		if i < 0 {
			return 0, false
		}
		v, rest, ok := parseUint(line[i+len(" total="):])
		return float64(v) * 1e-6, ok && len(rest) == 0
	}
	return 0, false
}

// parseUint reads decimal digits up to a space, a newline or the end.
func parseUint(b []byte) (v uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		d := uint64(b[i] - '0')
		if v > (math.MaxUint64-d)/10 {
			return 0, nil, false
		}
		v = v*10 + d
	}
	if i == 0 || i < len(b) && b[i] != ' ' && b[i] != '\n' {
		return 0, nil, false
	}
	return v, b[i:], true
}

// hypervisorOf returns the hypervisor named by the firmware's tables (DMI), or "". The
// prefixes are those of systemd-detect-virt (systemd, src/basic/virt.c). Amazon's metal
// machines carry the vendor of its virtual ones and say ".metal" in the product.
func hypervisorOf(vendor, product string) string {
	if vendor == "Amazon EC2" && strings.Contains(product, ".metal") {
		return ""
	}
	for _, known := range []struct{ prefix, name string }{
		{"KVM", "kvm"}, {"OpenStack", "kvm"}, {"KubeVirt", "kvm"},
		{"Amazon EC2", "amazon"}, {"Google Compute Engine", "google"}, {"QEMU", "qemu"},
		{"VMware", "vmware"}, {"VMW", "vmware"}, {"VirtualBox", "virtualbox"}, {"innotek GmbH", "virtualbox"},
		{"Xen", "xen"}, {"Bochs", "bochs"}, {"Parallels", "parallels"}, {"BHYVE", "bhyve"},
		{"Hyper-V", "hyperv"}, {"Apple Virtualization", "apple"},
	} {
		if strings.HasPrefix(product, known.prefix) || strings.HasPrefix(vendor, known.prefix) {
			return known.name
		}
	}
	if strings.HasPrefix(vendor, "Microsoft") && product == "Virtual Machine" {
		return "hyperv"
	}
	return ""
}
