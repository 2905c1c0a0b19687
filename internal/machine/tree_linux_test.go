package machine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// captured lays out a captured machine in a temporary directory. The archive holds
// the process's files below proc/4242; procfs finds it through the link proc/self.
// A device tree's strings end in NUL, which a text archive does not hold.
func captured(t testing.TB, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range a.Files {
		data := string(f.Data)
		if strings.HasPrefix(f.Name, "proc/device-tree/") {
			data = strings.TrimSuffix(data, "\n") + "\x00"
		}
		plant(t, root, f.Name, data)
	}
	if err := os.Symlink("4242", filepath.Join(root, "proc/self")); err != nil {
		t.Fatal(err)
	}
	return root
}

func plant(t testing.TB, root, name, data string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestParseCPUList(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []int
		ok   bool
	}{
		{"0-3,8,10-11\n", []int{0, 1, 2, 3, 8, 10, 11}, true},
		{"5", []int{5}, true},
		{"", nil, true},
		{"3-1", nil, false},
		{"-1", nil, false},
		{"0-", nil, false},
		{"0-99999999999", nil, false},
		{"a", nil, false},
	} {
		got, err := parseCPUList(c.in)
		if !slices.Equal(got, c.want) || (err == nil) != c.ok {
			t.Errorf("parseCPUList(%q) = %v, %v; want %v, ok %v", c.in, got, err, c.want, c.ok)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int64
		ok   bool
	}{
		{"32K", 32 << 10, true}, {"2M", 2 << 20, true}, {"1G", 1 << 30, true}, {"512", 512, true},
		{"", 0, false}, {"K", 0, false}, {"-1K", 0, false}, {"9223372036854775807K", 0, false},
	} {
		if got, err := parseBytes(c.in); got != c.want || (err == nil) != c.ok {
			t.Errorf("parseBytes(%q) = %d, %v; want %d, ok %v", c.in, got, err, c.want, c.ok)
		}
	}
}

func TestArmCoreName(t *testing.T) {
	for _, c := range []struct {
		core armCore
		want string
	}{
		{armCore{"0x41", "0xd08", "0x0", "3"}, "Cortex-A72 r0p3"},
		{armCore{"0x41", "0xd0b", "0x4", "1"}, "Cortex-A76 r4p1"},
		{armCore{"0x41", "0xfff", "0x1", "0"}, "Arm part 0xfff r1p0"},
		{armCore{"0x99", "0x001", "", ""}, "Arm implementer 0x99 part 0x001"},
		{armCore{"0x41", "", "0x0", "3"}, ""},
		{armCore{"garbage", "0xd08", "0x0", "3"}, ""},
	} {
		if got := c.core.name(); got != c.want {
			t.Errorf("%+v is named %q, want %q", c.core, got, c.want)
		}
	}
}

// Two kinds of core, and the line that trips procfs.CPUInfo.
func TestParseCPUInfo(t *testing.T) {
	info := parseCPUInfo("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n" +
		"processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\nprocessor:\nflags\nflags:\n")
	if want := []string{"Cortex-A55", "Cortex-A76"}; !slices.Equal(info.parts, want) {
		t.Errorf("parts %q, want %q", info.parts, want)
	}
	if info.processors != 3 || info.hypervisor {
		t.Errorf("%d processors, hypervisor %v; want 3, false", info.processors, info.hypervisor)
	}
}

func TestContainer(t *testing.T) {
	for _, c := range []struct{ file, data, want string }{
		{"proc/self/cgroup", "0::/system.slice/docker-1f2e.scope\n", "docker"},
		{"proc/self/cgroup", "0::/system.slice/docker.service\n", ""},
		{"proc/self/cgroup", "12:pids:/kubepods/pod1\n0::/\n", "kubernetes"},
		{"proc/self/cgroup", "0::/machine.slice/libpod-77.scope\n", "podman"},
		{"proc/self/cgroup", "0::/user.slice\n", ""},
		{"run/.containerenv", "", "podman"},
		{".dockerenv", "", "docker"},
		{"run/systemd/container", "lxc\n", "lxc"},
	} {
		root := t.TempDir()
		plant(t, root, c.file, c.data)
		if got := (tree{root}).container(); got != c.want {
			t.Errorf("%s with %q: container %q, want %q", c.file, c.data, got, c.want)
		}
	}
}

func TestPower(t *testing.T) {
	battery := func(status, scope string) map[string]string {
		return map[string]string{"type": "Battery\n", "status": status + "\n", "scope": scope + "\n"}
	}
	for _, c := range []struct {
		what   string
		supply map[string]string
		want   string
	}{
		{"a laptop's battery in use", battery("Discharging", "System"), "battery"},
		{"a laptop's battery charging", battery("Charging", "System"), "mains"},
		{"a mouse's battery", battery("Discharging", "Device"), "mains"},
		{"a power supply", map[string]string{"type": "Mains\n", "online": "1\n"}, "mains"},
	} {
		root := t.TempDir()
		for name, data := range c.supply {
			plant(t, root, "sys/class/power_supply/X/"+name, data)
		}
		var fp Fingerprint
		if readPower(tree{root}, &fp); fp.Power != c.want {
			t.Errorf("%s: %q, want %q", c.what, fp.Power, c.want)
		}
	}
}
