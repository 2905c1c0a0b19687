package machine

import "strings"

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
