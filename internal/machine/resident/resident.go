// Package resident reads what the kernel says of the memory of processes: how much of it is resident
// (statm, and exactly smaps_rollup), the largest it ever was (VmHWM), and which processes descend from one. It reads and does nothing else: no process is traced, injected into or
// signalled. What a file's fields mean is in proc(5), and in Documentation/filesystems/proc.rst of Linux.
package resident

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// PageSize is how many bytes a page of memory has here.
var PageSize = int64(os.Getpagesize())

// A Proc is a file system like /proc: "" is the live one, and a captured one in tests.
type Proc string

func (p Proc) path(pid int, file string) string {
	root := string(p)
	if root == "" {
		root = "/proc"
	}
	return filepath.Join(root, strconv.Itoa(pid), file)
}

// ErrGone is the error of a process that has ended, or that never was.
var ErrGone = errors.New("there is no such process any more")

// read reads a file of a process.
func (p Proc) read(pid int, file string) ([]byte, error) {
	text, err := os.ReadFile(p.path(pid, file))
	if err != nil {
		return nil, p.of(pid, file, err)
	}
	return text, nil
}

// of names what was read, and tells a process that has ended from one that may not be read.
func (p Proc) of(pid int, file string, err error) error {
	if _, gone := os.Stat(p.path(pid, "")); gone != nil {
		err = ErrGone
	} else if inner := (*os.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("reading %s of process %d: %w", file, pid, err)
}

// residentOf returns the second number of a statm, in bytes. It is called some hundred times a second,
// and makes no garbage.
func residentOf(text []byte) (n int64, ok bool) {
	at := bytes.IndexByte(text, ' ')
	if at < 0 {
		return 0, false
	}
	for _, c := range text[at+1:] {
		if c < '0' || c > '9' {
			break
		}
		n, ok = n*10+int64(c-'0'), true
	}
	return n * PageSize, ok
}

// An Open process is one whose files stay open, so that they are read without looking their names up. A number
// that another process has by now is never mistaken for it: the open files are the process's own.
type Open struct {
	PID     int
	proc    Proc
	statm   *os.File
	tasks   *os.File            // its folder of threads
	threads map[string]*os.File // the children of each
	buf     [4096]byte
}

// Open opens a process. The caller closes it.
func (p Proc) Open(pid int) (*Open, error) {
	f, err := os.Open(p.path(pid, "statm"))
	if err != nil {
		return nil, p.of(pid, "statm", err)
	}
	return &Open{PID: pid, proc: p, statm: f}, nil
}

// Children returns the children of a process, of all of its threads; false where it has ended.
func (o *Open) Children() (out []int, ok bool) {
	if o.tasks == nil {
		var err error
		if o.tasks, err = os.Open(o.proc.path(o.PID, "task")); err != nil {
			return nil, false
		}
		o.threads = map[string]*os.File{}
	}
	if _, err := o.tasks.Seek(0, io.SeekStart); err != nil {
		return nil, false
	}
	names, err := o.tasks.Readdirnames(-1)
	if err != nil {
		return nil, false
	}
	for _, name := range names {
		if o.threads[name] == nil {
			f, err := os.Open(o.proc.path(o.PID, "task/"+name+"/children"))
			if errors.Is(err, os.ErrNotExist) && len(o.threads) == 0 {
				if _, gone := os.Stat(o.proc.path(o.PID, "task/"+name)); gone == nil {
					return o.proc.search(o.PID), true // the kernel does not list them
				}
			}
			if err != nil {
				continue // it has ended
			}
			o.threads[name] = f
		}
		n, err := o.threads[name].ReadAt(o.buf[:], 0)
		if err != nil && err != io.EOF {
			o.threads[name].Close()
			delete(o.threads, name)
			continue
		}
		for word := range bytes.FieldsSeq(o.buf[:n]) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				out = append(out, child)
			}
		}
	}
	if len(o.threads) > 2*len(names)+8 { // of threads that have ended
		for name, f := range o.threads {
			if !slices.Contains(names, name) {
				f.Close()
				delete(o.threads, name)
			}
		}
	}
	return out, true
}

// Resident returns how many bytes of the process are resident, as its statm says; false where it has ended. That is
// approximate on kernels that count pages by thread or by processor: see Rollup for what is exact, and costs much more.
func (o *Open) Resident() (int64, bool) {
	n, err := o.statm.ReadAt(o.buf[:], 0)
	if err != nil && err != io.EOF {
		return 0, false
	}
	return residentOf(o.buf[:n])
}

// Waits reports whether some thread of the process runs, or would if it had a processor, or waits for a disk: it is not
// idle then, however little CPU time it gets beside other programs.
func (o *Open) Waits() bool {
	if o.tasks == nil {
		if _, ok := o.Children(); !ok {
			return false
		}
	}
	if _, err := o.tasks.Seek(0, io.SeekStart); err != nil {
		return false
	}
	names, _ := o.tasks.Readdirnames(-1)
	for _, name := range names {
		text, err := os.ReadFile(o.proc.path(o.PID, "task/"+name+"/stat"))
		if err != nil {
			continue
		}
		state := bytes.TrimLeft(text[bytes.LastIndexByte(text, ')')+1:], " ")
		if len(state) > 0 && (state[0] == 'R' || state[0] == 'D') {
			return true
		}
	}
	return false
}

// Close closes it.
func (o *Open) Close() {
	o.statm.Close()
	if o.tasks != nil {
		o.tasks.Close()
	}
	for _, f := range o.threads {
		f.Close()
	}
}

// A Status is what /proc/PID/status says, in bytes.
type Status struct {
	Name    string
	Parent  int
	UID     int   // the effective one
	Peak    int64 // VmHWM: the most that ever was resident; 0 of a kernel thread or a zombie
	Swap    int64
	Threads int
}

// Status reads the status of a process. It is readable of everybody's.
func (p Proc) Status(pid int) (s Status, err error) {
	text, err := p.read(pid, "status")
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		words := strings.Fields(value)
		if len(words) == 0 {
			continue
		}
		n, _ := strconv.ParseInt(words[0], 10, 64)
		switch key {
		case "Name":
			s.Name = strings.TrimSpace(value)
		case "PPid":
			s.Parent = int(n)
		case "Uid":
			if len(words) > 1 {
				s.UID, _ = strconv.Atoi(words[1])
			}
		case "VmHWM":
			s.Peak = n << 10
		case "VmSwap":
			s.Swap = n << 10
		case "Threads":
			s.Threads = int(n)
		}
	}
	return s, nil
}

// Sizes are sums over all mappings of a process, in bytes.
type Sizes struct {
	Resident  int64 // Rss
	Share     int64 // Pss: what is shared is divided among those who share it
	SwapShare int64 // SwapPss
}

// Rollup reads the sums over all mappings of a process. The kernel walks all pages for it: some 9 ms for 512
// MiB of small pages, while the process can map nothing. A process of another user's cannot be read.
func (p Proc) Rollup(pid int) (Sizes, error) {
	file := "smaps_rollup"
	text, err := p.read(pid, file)
	if errors.Is(err, os.ErrNotExist) { // Linux before 4.14
		file = "smaps"
		text, err = p.read(pid, file)
	}
	if err != nil {
		return Sizes{}, err
	}
	sum, err := sizesOf(string(text))
	if err != nil {
		return Sizes{}, fmt.Errorf("reading %s of process %d: %w", file, pid, err)
	}
	return sum, nil
}

// sizesOf adds up the lines "Rss:   123 kB" of all mappings; a mapping's own line has spaces before any colon.
func sizesOf(text string) (sum Sizes, err error) {
	fields := map[string]*int64{"Rss": &sum.Resident, "Pss": &sum.Share, "SwapPss": &sum.SwapShare}
	found := false
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		to := fields[key]
		if to == nil {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		n, err := strconv.ParseInt(number, 10, 53)
		if err != nil || n < 0 {
			return Sizes{}, fmt.Errorf("%q is no size", strings.TrimSpace(line))
		}
		*to += n << 10
		found = found || key == "Rss"
	}
	if !found {
		return Sizes{}, errors.New("it does not say how much is resident")
	}
	return sum, nil
}

// search finds the children of a process on a kernel that does not list them (without CONFIG_PROC_CHILDREN).
func (p Proc) search(pid int) (out []int) {
	if _, err := os.Stat(p.path(pid, "task")); err != nil {
		return nil
	}
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(p.path(pid, "")), "[0-9]*"))
	for _, dir := range all {
		child, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if parent, ok := p.Parent(child); ok && parent == pid {
			out = append(out, child)
		}
	}
	slices.Sort(out)
	return out
}

// Parent returns the parent of a process.
func (p Proc) Parent(pid int) (int, bool) {
	text, err := os.ReadFile(p.path(pid, "stat"))
	if err != nil {
		return 0, false
	}
	words := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name may hold anything
	if len(words) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(words[1])
	return parent, err == nil
}

// Kills returns how many processes the kernel has killed since the machine started because there was no
// memory left, the machine's or a cgroup's; false where the kernel does not count them (before 4.13).
func (p Proc) Kills() (int64, bool) {
	root := string(p)
	if root == "" {
		root = "/proc"
	}
	text, err := os.ReadFile(filepath.Join(root, "vmstat"))
	if err != nil {
		return 0, false
	}
	_, after, found := strings.Cut("\n"+string(text), "\noom_kill ")
	number, _, _ := strings.Cut(after, "\n")
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	return n, found && err == nil
}
