package proc

import (
	"encoding/binary"
	"fmt"
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
	starter *starter // nil: the launcher starts processes itself

	mu     sync.Mutex
	pid    int  // of the process that runs, which heads its group; 0 is none
	unwish bool // the end of what is being started was asked for already
}

// perShrink is the number of processes after which our own memory is given back where there is no starter, for which our
// collector runs, and only then: what it reads of the program adds some MiB to the peak.
const perShrink = 32

// serve starts what it is asked to, one process after the other, until the connection ends: then
// memcost has ended, or wants an end. What runs then is killed.
func serve() int {
	unix.CloseOnExec(launcherEnd)
	// What a process leaves running becomes a child of ours, also where it left the group: a daemon.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	// Linux ties the parent-death signal of what is started to the thread that starts it.
	runtime.LockOSThread()
	s := &server{wire: launcherEnd, starter: newStarter()}
	requests := make(chan job)
	go s.read(requests)
	for n := 0; ; n++ {
		if s.starter == nil && n%perShrink == 0 {
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
func (s *server) run(j job) (r reply) {
	status, of, floor, err := s.once(j, &r)
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
	r.Status = int64(status)
	r.User, r.Sys = of.Utime.Nano(), of.Stime.Nano()
	r.MaxRSS, r.Floor = of.Maxrss, floor
	r.Minor, r.Major, r.Own, r.Forced = of.Minflt, of.Majflt, of.Nvcsw, of.Nivcsw
	return r
}

// once starts a process, waits for it, and stops what it left; floor is what its peak, in KiB, is at least, whatever it did.
func (s *server) once(j job, r *reply) (status syscall.WaitStatus, of syscall.Rusage, floor int64, err error) {
	if s.starter == nil {
		return s.directly(j, r)
	}
	p, err := s.starter.start(j)
	if err != nil {
		return status, of, 0, err
	}
	s.started(p.pid, j.tell)
	stop := watch(j, p.pid, r)
	wall, err := p.wait()
	stop()
	s.ended()
	r.Wall, floor = int64(wall), peakIn(p.starter, starterInexact)
	if err == nil {
		status, of, err = p.usage()
	}
	if gone := p.drop(); err == nil {
		err = gone
	}
	r.Left = stopLeft(p.pid)
	return status, of, floor, err
}

// directly is once where there is no starter.
func (s *server) directly(j job, r *reply) (status syscall.WaitStatus, of syscall.Rusage, floor int64, err error) {
	files := make([]uintptr, len(j.files))
	for i, f := range j.files {
		files[i] = uintptr(f)
	}
	attr := &syscall.ProcAttr{Dir: j.dir, Env: j.env, Files: files,
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	argv := append([]string{j.path}, j.args...)
	start := time.Now()
	pid, err := syscall.ForkExec(j.path, argv, attr)
	stop := func() {}
	if err == nil {
		s.started(pid, j.tell)
		stop = watch(j, pid, r)
		for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
			continue
		}
	}
	r.Wall = int64(time.Since(start))
	stop()
	if err != nil {
		return status, of, 0, err
	}
	s.ended()
	for {
		if _, err := syscall.Wait4(pid, &status, 0, &of); err != syscall.EINTR {
			break
		}
	}
	r.Left = stopLeft(pid)
	return status, of, peakIn(os.Getpid(), inexact), nil
}

// started notes the process that runs, and tells whoever asked for it its number.
func (s *server) started(pid int, tell bool) {
	s.mu.Lock()
	if s.pid = pid; s.unwish {
		syscall.Kill(-pid, syscall.SIGKILL)
	}
	s.mu.Unlock()
	if !tell {
		return
	}
	if frame, err := binary.Append(nil, binary.LittleEndian, reply{PID: int64(pid)}); err == nil {
		_ = s.send(frame) // where it cannot be sent, the end will not be either
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

// watchEach is how often a process that is watched is looked at.
const watchEach = 5 * time.Millisecond

// watch looks at what a process and its descendants have together until stop, where that is asked for, and notes in r
// when it was most.
func watch(j job, pid int, r *reply) (stop func()) {
	if !j.watch {
		return func() {}
	}
	over, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			n, sum, largest := together(pid)
			if sum > r.Sum {
				r.Processes, r.Sum, r.Largest = n, sum, largest
			}
			select {
			case <-over:
				return
			case <-time.After(watchEach):
			}
		}
	}()
	return func() { close(over); <-done }
}

// together returns how many processes a process is with its descendants, and what they have resident: in all, where pages
// that they share count in each, and the largest of them. What has been left by its parent is not found.
func together(pid int) (n, sum, largest int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if words := strings.Fields(string(text)); len(words) > 1 {
		if pages, err := strconv.ParseInt(words[1], 10, 64); err == nil && pages > 0 {
			n, sum = 1, pages*int64(os.Getpagesize())
			largest = sum
		}
	}
	for _, child := range childrenOf(strconv.Itoa(pid)) {
		n2, sum2, largest2 := together(child)
		n, sum, largest = n+n2, sum+sum2, max(largest, largest2)
	}
	return n, sum, largest
}

// children returns the children of this process; none where the system does not list them.
func children() []int { return childrenOf("self") }

// childrenOf returns the children of a process.
func childrenOf(pid string) (out []int) {
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children")
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
