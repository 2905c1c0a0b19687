package machine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/prometheus/procfs"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"

	"memcost/internal/testkit"
)

// Each captured machine has a golden fingerprint and golden findings.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 5 {
		t.Fatalf("%d captured machines, %v; want at least 5", len(archives), err)
	}
	for _, archive := range archives {
		base := strings.TrimSuffix(archive, ".txtar")
		t.Run(filepath.Base(base), func(t *testing.T) {
			fp, err := ReadFingerprint(captured(t, archive))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(fp, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, base+".fingerprint.json", string(got)+"\n")
			testkit.Golden(t, base+".findings.txt", table(Assess(fp, Probe{})))
		})
	}
}

func table(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s: %s\n\t%s\n", f.Name, f.Level, f.Value, f.Detail)
		if f.Hint != "" {
			fmt.Fprintf(&b, "\t> %s\n", f.Hint)
		}
	}
	return b.String()
}

// The live machine, against what the system itself says by other ways.
func TestReadLive(t *testing.T) {
	fp, err := ReadFingerprint("")
	if err != nil {
		t.Fatal(err)
	}
	var uts unix.Utsname
	if err := unix.Uname(&uts); err != nil {
		t.Fatal(err)
	}
	var stack unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &stack); err != nil {
		t.Fatal(err)
	}
	stackLimit := fmt.Sprint(stack.Cur)
	if stack.Cur == unix.RLIM_INFINITY {
		stackLimit = "unlimited"
	}
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"host name", fp.Hostname, unix.ByteSliceToString(uts.Nodename[:])},
		{"kernel", fp.Kernel, unix.ByteSliceToString(uts.Release[:])},
		{"architecture", fp.Arch, runtime.GOARCH},
		{"CPUs", fp.CPUs, runtime.NumCPU()},
		{"page", fp.PageBytes, os.Getpagesize()},
		{"memory", fp.MemoryBytes, int64(info.Totalram) * int64(info.Unit)},
		{"stack limit", fp.Limits["stack"], stackLimit},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, the system says %v", c.what, c.got, c.want)
		}
	}
	// The runtime's own default, unless it was told otherwise.
	if _, set := os.LookupEnv("GOMAXPROCS"); !set && fp.GOMAXPROCS != runtime.GOMAXPROCS(0) {
		t.Errorf("default GOMAXPROCS %d, the runtime chose %d", fp.GOMAXPROCS, runtime.GOMAXPROCS(0))
	}
	second, err := ReadFingerprint("/")
	if err != nil || second.ID() != fp.ID() {
		t.Errorf("read twice, the machine has the IDs %s and %s, %v", fp.ID(), second.ID(), err)
	}
}

func TestReadNoMachine(t *testing.T) {
	root := t.TempDir()
	if _, err := ReadFingerprint(root); err == nil || !strings.Contains(err.Error(), root) {
		t.Errorf("an empty folder gives the error %v, want one that names it", err)
	}
}

// With nothing but an empty proc/, each finding must say that it is unknown and
// why, and none may be well.
func TestReadNothing(t *testing.T) {
	root := t.TempDir()
	plant(t, root, "proc/nothing", "")
	fp, err := ReadFingerprint(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Assess(fp, Probe{}) {
		if f.Level != Unknown || f.Detail == "" {
			t.Errorf("%s is %v with the detail %q on a machine that tells nothing", f.Name, f.Level, f.Detail)
		}
	}
	for _, n := range fp.Notes {
		if strings.Contains(n, root) {
			t.Errorf("note %q shows the path of the tree", n)
		}
	}
}

// Each file in turn is missing, or holds garbage: no panic, valid JSON, and where
// the file was the only source of something, a note.
func TestReadGarbage(t *testing.T) {
	const archive = "testdata/laptop.txtar"
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	garbage := []string{"", "\x00\xff\xfe", "cpu", "- - - -\n:::\n", "99999999999999999999999 -1 NaN Inf",
		"processor:\nprocessor : x\n", strings.Repeat("9,", 5000)}
	noted := map[string]string{
		"proc/cpuinfo": "cpuModel", "proc/meminfo": "memoryBytes", "proc/loadavg": "load1",
		"proc/4242/limits":              "limits",
		"sys/devices/system/cpu/online": "cpusOnline", "proc/4242/cgroup": "cgroupCPUQuota",
		"proc/stat": "stealSeconds",
		"sys/kernel/mm/transparent_hugepage/enabled": "thp", "proc/4242/status": "cpus",
	}
	root := captured(t, archive)
	check := func(name, content string) {
		fp, err := ReadFingerprint(root)
		if err != nil {
			t.Fatalf("%s = %q: %v", name, content, err)
		}
		if _, err := json.Marshal(fp); err != nil {
			t.Errorf("%s = %q: %v", name, content, err)
		}
		Assess(fp, Probe{})
		field, read := noted[name]
		if _, ok := fp.unknown(field); read && !ok && (content == "missing" || content == "\x00\xff\xfe") {
			t.Errorf("%s = %q: no note for %s in %q", name, content, field, fp.Notes)
		}
		if i := slices.IndexFunc(fp.Notes, func(n string) bool { return !utf8.ValidString(n) }); i >= 0 {
			t.Errorf("%s = %q: note %q is not text", name, content, fp.Notes[i])
		}
	}
	for _, f := range a.Files {
		if strings.Contains(f.Name, "/cpu/cpu") && !strings.Contains(f.Name, "/cpu/cpu0/") {
			continue // CPU 0 stands for all
		}
		for _, g := range garbage {
			plant(t, root, f.Name, g)
			check(f.Name, g)
		}
		if err := os.Remove(filepath.Join(root, f.Name)); err != nil {
			t.Fatal(err)
		}
		check(f.Name, "missing")
		plant(t, root, f.Name, string(f.Data))
	}
}

func TestCgroupDirs(t *testing.T) {
	v2 := []procfs.Cgroup{{HierarchyID: 0, Path: "/a/b"}}
	mount := func(fstype, root, point string, controllers ...string) []*procfs.MountInfo {
		m := &procfs.MountInfo{FSType: fstype, Root: root, MountPoint: point, SuperOptions: map[string]string{}}
		for _, c := range controllers {
			m.SuperOptions[c] = ""
		}
		return []*procfs.MountInfo{m}
	}
	for _, c := range []struct {
		what   string
		groups []procfs.Cgroup
		mounts []*procfs.MountInfo
		want   []string
		isV2   bool
	}{
		{"parents", v2, mount("cgroup2", "/", "/cg"), []string{"cg/a/b", "cg/a", "cg"}, true},
		{"only a part mounted", v2, mount("cgroup2", "/a", "/cg"), []string{"cg/b", "cg"}, true},
		{"outside the part mounted", v2, mount("cgroup2", "/c", "/cg"), []string{"cg"}, true},
		{"above its namespace", []procfs.Cgroup{{Path: "/../x"}}, mount("cgroup2", "/", "/cg"), []string{"cg/x", "cg"},
			true},
		{"version 1 first", append(v2, procfs.Cgroup{HierarchyID: 3, Controllers: []string{"cpuacct", "cpu"},
			Path: "/d"}),
			append(mount("cgroup2", "/", "/cg"), mount("cgroup", "/", "/cg1", "cpu", "cpuacct")...),
			[]string{"cg1/d", "cg1"}, false},
		{"not mounted", v2, mount("cgroup", "/", "/cg", "memory"), nil, true},
		{"in no group", nil, mount("cgroup2", "/", "/cg"), nil, false},
	} {
		got, isV2, err := cgroupDirs(c.groups, c.mounts, "cpu")
		if !slices.Equal(got, c.want) || isV2 != c.isV2 || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %q, v2 %v, %v; want %q, v2 %v", c.what, got, isV2, err, c.want, c.isV2)
		}
	}
}
