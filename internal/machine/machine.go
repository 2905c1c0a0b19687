// Package machine reports what computer a measurement was made on, what else was
// happening on it meanwhile, and whether it is fit to measure on.
//
// [ReadFingerprint] reads what the machine is and how it is set. [Sampler] reads
// cumulative counters of other processes' work (steal, busy CPU, pressure) cheaply
// enough to be called around every sample. [MeasureNoise] measures how steady the
// machine is, and [Assess] turns a fingerprint and that measurement into findings with a
// remedy for each.
//
// It only reads files and makes system calls; it starts no process. Linux is read in
// full, macOS through sysctl, Windows through the registry and kernel32.
package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Fingerprint holds what the machine is and how it was set when it was read. Sizes are
// bytes, times seconds, frequencies hertz. A field that could not be read has its zero
// value and a line in Notes.
type Fingerprint struct {
	Hostname string `json:"hostname"`
	OS       string `json:"os"`     // as GOOS
	Arch     string `json:"arch"`   // as GOARCH
	Kernel   string `json:"kernel"` // release, as uname -r
	Board    string `json:"board"`  // vendor's name of the computer: DMI product or device-tree model

	CPUModel   string  `json:"cpuModel"`   // several kinds of core are joined by " + "
	CPUs       int     `json:"cpus"`       // CPUs this process may run on: affinity, not the quota below
	CPUsOnline int     `json:"cpusOnline"` // that the kernel has
	GOMAXPROCS int     `json:"gomaxprocs"` // default of a program built with Go 1.25 or later, see [defaultGOMAXPROCS]
	SMT        string  `json:"smt"`        // "on", "off", "forceoff", "notsupported", "notimplemented"
	Caches     []Cache `json:"caches"`     // by level, then type

	MemoryBytes          int64 `json:"memoryBytes"`
	MemoryAvailableBytes int64 `json:"memoryAvailableBytes"` // free, or quickly made free
	SwapBytes            int64 `json:"swapBytes"`
	SwapUsedBytes        int64 `json:"swapUsedBytes"`
	PageBytes            int   `json:"pageBytes"`
	HugePageBytes        int64 `json:"hugePageBytes"` // size of a transparent huge page

	Governor        string `json:"governor"`        // of cpufreq; different ones are joined by ","
	FrequencyDriver string `json:"frequencyDriver"` // of cpufreq, e.g. "intel_pstate"
	FrequencyMinHz  int64  `json:"frequencyMinHz"`  // lowest allowed now on any CPU
	FrequencyMaxHz  int64  `json:"frequencyMaxHz"`  // highest allowed now on any CPU
	Turbo           string `json:"turbo"`           // "on", "off", or "" where there is no switch
	THP             string `json:"thp"`             // "always", "madvise", "never"
	THPDefrag       string `json:"thpDefrag"`
	ASLR            string `json:"aslr"` // randomize_va_space: "0" off, "1" without heap, "2" full

	PerfEventParanoid string `json:"perfEventParanoid"`
	PerfPMU           string `json:"perfPMU"` // the kernel's device of hardware counters; "" for none

	Virtualization string  `json:"virtualization"` // hypervisor and container, e.g. "kvm, docker", or "none"
	StealSeconds   float64 `json:"stealSeconds"`   // all CPUs, since boot
	// CPUs' worth of time, tightest of the group and its parents; 0 for none
	CgroupCPUQuota    float64 `json:"cgroupCPUQuota"`
	CgroupMemoryBytes int64   `json:"cgroupMemoryBytes"` // likewise; 0 for none
	// Limits are the soft limits stack, memlock, nofile, as, data: a number (bytes, or
	// files) or "unlimited".
	Limits map[string]string `json:"limits"`
	// MayLock reports that this process may lock more than the limit memlock: CAP_IPC_LOCK.
	MayLock bool `json:"mayLock,omitempty"`

	Load1             float64 `json:"load1"`             // mean number of runnable tasks, last minute
	Power             string  `json:"power"`             // "mains" or "battery"
	ThermalThrottles  int64   `json:"thermalThrottles"`  // times since boot that heat slowed a core or package
	FirmwareThrottled string  `json:"firmwareThrottled"` // Raspberry Pi's get_throttled bits, hexadecimal
	BootID            string  `json:"bootID"`            // changes with every boot

	// Notes has one line "FIELD: reason" for each field, by its JSON name, that
	// could not be read or not be trusted.
	Notes []string `json:"notes"`
}

// Cache is one kind of CPU cache.
type Cache struct {
	Level    int    `json:"level"`
	Type     string `json:"type"` // "Data", "Instruction", "Unified"
	Bytes    int64  `json:"bytes"`
	SharedBy string `json:"sharedBy"` // CPUs of the first such cache, e.g. "0-3"
	Count    int    `json:"count"`    // caches of this kind
}

// ID returns a short hash of what identifies the machine: name, hardware and hypervisor,
// but no setting, kernel version or load. Results with equal IDs come from one machine;
// whether its settings were equal too is seen by comparing the fingerprints.
//
// Memory counts in whole GiB, because the kernel's own share of it changes a little with
// every update.
func (fp Fingerprint) ID() string {
	h := sha256.New()
	for _, s := range []string{fp.Hostname, fp.OS, fp.Arch, fp.Board, fp.CPUModel, fp.Virtualization} {
		fmt.Fprintf(h, "%q\n", s)
	}
	fmt.Fprintf(h, "%d CPUs, %d GiB\n", fp.CPUsOnline, (fp.MemoryBytes+1<<29)>>30)
	writeCaches(h, fp.Caches)
	return hex.EncodeToString(h.Sum(nil)[:6])
}

func writeCaches(w io.Writer, caches []Cache) {
	for _, c := range caches {
		fmt.Fprintf(w, "L%d %s %d x%d\n", c.Level, c.Type, c.Bytes, c.Count)
	}
}

// note records that a field, named as in JSON, could not be read.
func (fp *Fingerprint) note(field, format string, args ...any) {
	// The reason may quote the contents of a garbled file.
	fp.Notes = append(fp.Notes, strings.ToValidUTF8(field+": "+fmt.Sprintf(format, args...), "\uFFFD"))
}

// unknown reports whether a note names the field, and gives its reason.
func (fp Fingerprint) unknown(field string) (reason string, ok bool) {
	for _, n := range fp.Notes {
		if reason, ok := strings.CutPrefix(n, field+": "); ok {
			return reason, true
		}
	}
	return "", false
}

// defaultGOMAXPROCS returns the default of the Go runtime from 1.25 on
// (runtime/cgroup_linux.go): the CPUs of the affinity mask, lowered to the quota of the
// process's own cgroup rounded up, but not below 2. The runtime reads the leaf cgroup
// only, so a parent's tighter quota does not count here.
func defaultGOMAXPROCS(cpus int, leafQuota float64) int {
	if leafQuota <= 0 {
		return cpus
	}
	limit := int(leafQuota)
	if float64(limit) < leafQuota {
		limit++
	}
	return min(cpus, max(limit, 2))
}

// Kind returns a short hash of what machines of one kind have in common: the hardware, the
// hypervisor and the system, but neither a name nor a setting. What takes so many iterations on
// one of them takes as many on another.
func (fp Fingerprint) Kind() string {
	h := sha256.New()
	for _, s := range []string{fp.OS, fp.Arch, fp.Board, fp.CPUModel, fp.Virtualization} {
		fmt.Fprintf(h, "%q\n", s)
	}
	fmt.Fprintf(h, "%d CPUs, %d of them, %d GiB\n", fp.CPUsOnline, fp.GOMAXPROCS, (fp.MemoryBytes+1<<29)>>30)
	writeCaches(h, fp.Caches)
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// A Place is a machine among others: of its kind, and told from the others of it by the system's
// own identity. Neither changes with the name of the machine, nor when it starts again.
type Place struct {
	Kind string // see Fingerprint.Kind
	ID   string // the kind, and the beginning of Identity.ID
}

// PlaceOf returns the place of the machine below root, of which fp was read. It returns
// ErrNoIdentity where the system has none.
func PlaceOf(root string, fp Fingerprint) (Place, error) {
	i, err := Identify(root)
	if err != nil {
		return Place{}, err
	}
	const digits = 12 // of 32: a million machines of a kind share one by chance once in 500 times
	return Place{Kind: fp.Kind(), ID: fp.Kind() + "-" + i.ID[:digits]}, nil
}
