package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
