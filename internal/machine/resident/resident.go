// Package resident reads what the kernel says of the memory of processes: how much of it is resident
// (statm), by mapping (smaps) and in all (smaps_rollup), the largest it ever was (VmHWM), and which
// processes descend from one. It reads and does nothing else: no process is traced, injected into or
// signalled. What a file's fields mean is in proc(5), and in Documentation/filesystems/proc.rst of Linux.
package resident

import (
	"bufio"
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

// Resident returns how many bytes of a process are resident, as its statm says. That is approximate on
// kernels that count pages by thread or by processor: see Rollup for what is exact, and dear.
func (p Proc) Resident(pid int) (int64, error) {
	text, err := p.read(pid, "statm")
	if err != nil {
		return 0, err
	}
	n, ok := residentOf(text)
	if !ok {
		return 0, fmt.Errorf("reading statm of process %d: %q is not what it should be", pid, text)
	}
	return n, nil
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

// Children is Proc.Children, at a tenth of its price; false where the process has ended.
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

// Resident is Proc.Resident; false where the process has ended.
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
	State   byte // 'R', 'S', 'Z' …
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
		case "State":
			s.State = words[0][0]
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

// Sizes are what smaps says of a mapping, or smaps_rollup of all of them, in bytes.
type Sizes struct {
	Resident  int64 // Rss
	Share     int64 // Pss: what is shared is divided among those who share it
	Clean     int64 // Private_Clean
	Dirty     int64 // Private_Dirty
	Anonymous int64
	LazyFree  int64 // given back by MADV_FREE, and still resident
	Huge      int64 // AnonHugePages
	Swap      int64
	SwapShare int64 // SwapPss
}

// take reads a line "Rss:   123 kB".
func (s *Sizes) take(key string, kib int64) {
	n := kib << 10
	switch key {
	case "Rss":
		s.Resident = n
	case "Pss":
		s.Share = n
	case "Private_Clean":
		s.Clean = n
	case "Private_Dirty":
		s.Dirty = n
	case "Anonymous":
		s.Anonymous = n
	case "LazyFree":
		s.LazyFree = n
	case "AnonHugePages":
		s.Huge = n
	case "Swap":
		s.Swap = n
	case "SwapPss":
		s.SwapShare = n
	}
}

// Add adds those of another mapping or process.
func (s *Sizes) Add(o Sizes) {
	s.Resident += o.Resident
	s.Share += o.Share
	s.Clean += o.Clean
	s.Dirty += o.Dirty
	s.Anonymous += o.Anonymous
	s.LazyFree += o.LazyFree
	s.Huge += o.Huge
	s.Swap += o.Swap
	s.SwapShare += o.SwapShare
}

// A Mapping is a part of a process's addresses.
type Mapping struct {
	From, To uint64
	Mode     string // "rw-p"
	Offset   uint64
	Name     string // of its file; "[heap]", "[stack]", "[anon: Go: heap]"; "" of one without a name
	Sizes
	Flags string // VmFlags
}

// Rollup reads the sum over all mappings of a process. The kernel walks all pages for it: some 9 ms for 512
// MiB of small pages, while the process can map nothing. A process of another user's cannot be read.
func (p Proc) Rollup(pid int) (Sizes, error) {
	text, err := p.read(pid, "smaps_rollup")
	if err != nil && errors.Is(err, os.ErrNotExist) { // Linux before 4.14
		all, err := p.Mappings(pid)
		var sum Sizes
		for _, m := range all {
			sum.Add(m.Sizes)
		}
		return sum, err
	}
	if err != nil {
		return Sizes{}, err
	}
	all, err := Parse(bytes.NewReader(text))
	if err != nil || len(all) != 1 {
		return Sizes{}, fmt.Errorf("reading smaps_rollup of process %d: %d sums in it: %w", pid, len(all), err)
	}
	return all[0].Sizes, nil
}

// Mappings reads all mappings of a process, in the order of their addresses.
func (p Proc) Mappings(pid int) ([]Mapping, error) {
	f, err := os.Open(p.path(pid, "smaps"))
	if err != nil {
		return nil, p.of(pid, "smaps", err)
	}
	defer f.Close()
	all, err := Parse(f)
	if err != nil {
		return all, p.of(pid, "smaps", err)
	}
	return all, nil
}

// Parse reads smaps or smaps_rollup.
func Parse(r io.Reader) ([]Mapping, error) {
	var out []Mapping
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		key, value, is := strings.Cut(line, ":")
		if is && !strings.ContainsAny(key, " -") {
			if len(out) == 0 {
				return nil, fmt.Errorf("%q stands before any mapping", line)
			}
			m := &out[len(out)-1]
			if key == "VmFlags" {
				m.Flags = strings.TrimSpace(value)
				continue
			}
			number, _, _ := strings.Cut(strings.TrimSpace(value), " ")
			if n, err := strconv.ParseInt(number, 10, 64); err == nil {
				m.take(key, n)
			}
			continue
		}
		m, err := head(line)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, lines.Err()
}

// head reads "7f0-7f1 rw-p 00000000 00:00 0   [anon: Go: heap]": a name may hold spaces.
func head(line string) (m Mapping, err error) {
	rest := line
	var words [5]string
	for i := range words {
		rest = strings.TrimLeft(rest, " ")
		words[i], rest, _ = strings.Cut(rest, " ")
	}
	from, to, ok := strings.Cut(words[0], "-")
	var errFrom, errTo error
	m.From, errFrom = strconv.ParseUint(from, 16, 64)
	m.To, errTo = strconv.ParseUint(to, 16, 64)
	if !ok || errFrom != nil || errTo != nil || len(words[1]) < 4 {
		return m, fmt.Errorf("%q is no mapping", line)
	}
	m.Mode, m.Name = words[1], strings.TrimSpace(rest)
	m.Offset, _ = strconv.ParseUint(words[2], 16, 64)
	return m, nil
}

// Children returns the children of a process, of all of its threads.
func (p Proc) Children(pid int) []int {
	lists, _ := filepath.Glob(p.path(pid, "task/*/children"))
	if len(lists) == 0 {
		return p.search(pid)
	}
	var out []int
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}

// search is Children on a kernel that does not list them (without CONFIG_PROC_CHILDREN).
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

// Tree returns the processes that descend from one, itself first where own says so.
func (p Proc) Tree(pid int, own bool) []int {
	var out []int
	if own {
		out = append(out, pid)
	}
	next := p.Children(pid)
	for len(next) > 0 && len(out) < mostProcesses {
		child := next[0]
		next = next[1:]
		if slices.Contains(out, child) {
			continue // its parent ended meanwhile, and it was listed twice
		}
		out = append(out, child)
		next = append(next, p.Children(child)...)
	}
	return out
}

// mostProcesses bounds a tree that grows faster than it is read.
const mostProcesses = 10_000

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
