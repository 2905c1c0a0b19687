package proc

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// shrink gives back the memory that the start of this program took, and has the system forget its
// peak: it would be the floor of all that is measured.
func shrink() {
	debug.FreeOSMemory()
	for _, m := range clean() {
		_, _, _ = unix.RawSyscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED)
	}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak: see proc_pid_clear_refs(5)
}

// A mapping is a part of the memory, by its addresses.
type mapping struct{ from, to uintptr }

// clean returns the parts of files in memory that can be read and not written, and of which no
// page is our own: what is dropped of them comes back from the file.
func clean() (out []mapping) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer f.Close()
	var m mapping
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 6 && strings.HasPrefix(words[5], "/") && words[1][0] == 'r' && words[1][1] == '-':
			fmt.Sscanf(words[0], "%x-%x", &m.from, &m.to)
		case len(words) > 0 && !strings.HasSuffix(words[0], ":"):
			m = mapping{}
		case len(words) == 3 && words[0] == "Anonymous:" && words[1] == "0" && m.to > m.from:
			out = append(out, m)
		}
	}
	return out
}

// inexact is by how much, in KiB, a peak may be wrong: each processor counts some pages for itself.
const inexact = 1024

// starterInexact is the same of a starter, which has few pages to count.
const starterInexact = 256

// peakIn returns the peak of the memory of a process, in KiB, which a process inherits that it starts. What
// getrusage says has the peak of the program that started it in it, for the same reason.
func peakIn(pid int, inexact int64) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return math.MaxInt64 >> 10
	}
	var kib int64
	_, after, known := bytes.Cut(text, []byte("\nVmHWM:"))
	if _, err := fmt.Sscan(string(after[:min(len(after), 24)]), &kib); !known || err != nil {
		return math.MaxInt64 >> 10 // no figure is above it
	}
	return kib + inexact
}
