package proc

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// launcherEnd is the file that a launcher has its end of the connection as.
const launcherEnd = 3

// A server is a launcher, seen from inside.
type server struct {
	wire

	mu     sync.Mutex
	pid    int  // of the process that runs, which heads its group; 0 is none
	unwish bool // the end of what is being started was asked for already
}

// perShrink is the number of processes after which our own memory is given back, for which our
// collector runs, and only then: what it reads of the program adds some MiB to the peak.
const perShrink = 32

// serve starts what it is asked to, one process after the other, until the connection ends: then
// memcost has ended, or wants an end. What runs then is killed.
func serve() int {
	unix.CloseOnExec(launcherEnd)
	s := &server{wire: launcherEnd}
	// What a process leaves running becomes a child of ours, also where it left the group: a daemon.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	requests := make(chan job)
	go s.read(requests)
	// Linux ties the parent-death signal of what is started to the thread that starts it.
	runtime.LockOSThread()
	for n := 0; ; n++ {
		if n%perShrink == 0 {
			shrink()
		}
		j, more := <-requests
		if !more {
			return 0
		}
		answer, err := binary.Append(nil, binary.LittleEndian, s.run(j))
		if err != nil || s.send(answer) != nil {
			return 0
		}
	}
}

// A job is a request with its files: input, output, errors.
type job struct {
	request
	files []int
}

// read takes requests from the connection.
func (s *server) read(requests chan<- job) {
	defer close(requests)
	defer s.kill()
	for {
		body, files, err := s.receive()
		if err != nil {
			return
		}
		if len(body) == 0 {
			s.kill()
			continue
		}
		if len(body) == 1 {
			s.terminate()
			continue
		}
		q, err := readRequest(body)
		if err != nil || len(files) != 3 {
			return
		}
		s.mu.Lock()
		s.unwish = false // what asked for the end of another came late
		s.mu.Unlock()
		requests <- job{q, files}
	}
}

// kill kills the group of the process that runs, or that is just being started.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unwish = true; s.pid != 0 {
		syscall.Kill(-s.pid, syscall.SIGKILL)
	}
}

// terminate asks the process that runs to end.
func (s *server) terminate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pid != 0 {
		syscall.Kill(s.pid, syscall.SIGTERM)
	}
}

// run starts a process and waits for it.
func (s *server) run(j job) reply {
	files := make([]uintptr, len(j.files))
	for i, f := range j.files {
		files[i] = uintptr(f)
	}
	attr := &syscall.ProcAttr{Dir: j.dir, Env: j.env, Files: files,
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	argv := append([]string{j.path}, j.args...)
	start := time.Now()
	pid, err := syscall.ForkExec(j.path, argv, attr)
	if err == nil {
		s.started(pid)
		if j.tell {
			if frame, err := binary.Append(nil, binary.LittleEndian, reply{PID: int64(pid)}); err == nil {
				_ = s.send(frame) // where it cannot be sent, the end will not be either
			}
		}
		for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
			continue
		}
	}
	r := reply{Wall: int64(time.Since(start))}
	for _, f := range j.files {
		syscall.Close(f)
	}
	if err != nil {
		r.Errno = int64(syscall.EIO)
		if errno, ok := err.(syscall.Errno); ok {
			r.Errno = int64(errno)
		}
		return r
	}
	s.ended()
	var status syscall.WaitStatus
	var of syscall.Rusage
	for {
		if _, err := syscall.Wait4(pid, &status, 0, &of); err != syscall.EINTR {
			break
		}
	}
	r.Left = stopLeft(pid)
	r.Status = int64(status)
	r.User, r.Sys = of.Utime.Nano(), of.Stime.Nano()
	r.MaxRSS, r.Floor = of.Maxrss, peak()
	r.Minor, r.Major, r.Own, r.Forced = of.Minflt, of.Majflt, of.Nvcsw, of.Nivcsw
	return r
}

func (s *server) started(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pid = pid; s.unwish {
		syscall.Kill(-pid, syscall.SIGKILL)
	}
}

// ended kills what the process left running: as a zombie it still holds the group's number.
func (s *server) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	syscall.Kill(-s.pid, syscall.SIGKILL)
	s.pid = 0
}

// stopLeft kills the descendants that a process left, however far they are from its group, and returns how many of them
// were in none of it: daemons. Nobody else's process is a child of ours.
func stopLeft(group int) (daemons int64) {
	counted := map[int]bool{}
	for {
		left := children()
		for _, pid := range left {
			if is, err := unix.Getpgid(pid); err == nil && is != group && !counted[pid] {
				counted[pid] = true
				daemons++
			}
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return daemons
		}
		for _, pid := range left {
			for {
				if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
					break
				}
			}
		}
	}
}

// children returns the children of this process; none where the system does not list them.
func children() (out []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}
