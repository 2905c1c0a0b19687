package machine

import "testing"

func TestID(t *testing.T) {
	fp := Fingerprint{Hostname: "h", OS: "linux", Arch: "amd64", CPUModel: "m", CPUsOnline: 4, MemoryBytes: 16 << 30,
		Caches: []Cache{{Level: 1, Type: "Data", Bytes: 32 << 10, Count: 4}}}
	id := fp.ID()
	if len(id) != 12 {
		t.Fatalf("ID %q has %d characters, want 12", id, len(id))
	}
	same := map[string]func(*Fingerprint){
		"load": func(f *Fingerprint) { f.Load1 = 7; f.MemoryAvailableBytes = 1; f.StealSeconds = 3 },
		"settings": func(f *Fingerprint) {
			f.Governor, f.Turbo, f.THP, f.SMT = "powersave", "on", "never", "off"
		},
		"kernel and boot": func(f *Fingerprint) { f.Kernel, f.BootID, f.MemoryBytes = "6.2", "x", f.MemoryBytes-3<<20 },
		"affinity":        func(f *Fingerprint) { f.CPUs, f.GOMAXPROCS, f.CgroupCPUQuota = 1, 1, 0.5 },
		"notes":           func(f *Fingerprint) { f.note("turbo", "no") },
	}
	for what, change := range same {
		f := fp
		if change(&f); f.ID() != id {
			t.Errorf("a change of %s changed the ID", what)
		}
	}
	other := map[string]func(*Fingerprint){
		"host":        func(f *Fingerprint) { f.Hostname = "g" },
		"CPU":         func(f *Fingerprint) { f.CPUModel = "n" },
		"CPU count":   func(f *Fingerprint) { f.CPUsOnline = 8 },
		"memory":      func(f *Fingerprint) { f.MemoryBytes *= 2 },
		"cache":       func(f *Fingerprint) { f.Caches = []Cache{{Level: 1, Type: "Data", Bytes: 48 << 10, Count: 4}} },
		"hypervisor":  func(f *Fingerprint) { f.Virtualization = "kvm" },
		"field moved": func(f *Fingerprint) { f.Hostname, f.OS = "hl", "inux" },
	}
	for what, change := range other {
		f := fp
		if change(&f); f.ID() == id {
			t.Errorf("another %s has the same ID", what)
		}
	}
}

func TestDefaultGOMAXPROCS(t *testing.T) {
	for _, c := range []struct {
		cpus  int
		quota float64
		want  int
	}{{8, 0, 8}, {8, 2.1, 3}, {8, 3, 3}, {8, 0.5, 2}, {1, 0.5, 1}, {4, 16, 4}} {
		if got := defaultGOMAXPROCS(c.cpus, c.quota); got != c.want {
			t.Errorf("%d CPUs, quota %v: %d, want %d", c.cpus, c.quota, got, c.want)
		}
	}
}

func TestHypervisorOf(t *testing.T) {
	for _, c := range []struct{ vendor, product, want string }{
		{"QEMU", "Standard PC (i440FX + PIIX, 1996)", "qemu"},
		{"Red Hat", "KVM", "kvm"},
		{"Amazon EC2", "m6g.xlarge", "amazon"},
		{"Amazon EC2", "m6g.metal", ""},
		{"Google", "Google Compute Engine", "google"},
		{"Microsoft Corporation", "Virtual Machine", "hyperv"},
		{"Microsoft Corporation", "Surface Laptop 5", ""},
		{"Dell Inc.", "PowerEdge R750", ""},
		{"", "", ""},
	} {
		if got := hypervisorOf(c.vendor, c.product); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.vendor, c.product, got, c.want)
		}
	}
}
