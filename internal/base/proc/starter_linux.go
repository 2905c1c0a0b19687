package proc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A starter is a program of one page that starts another, waits for it, and says how it ended. The system takes a
// process's peak to be at least that of the memory that it was started from (exec_mmap, fs/exec.c): that of a starter is
// some tens of KiB, and that of any Go program some MiB, more than many a C program has.
//
// It is made anew from machine code that stands in this program, in a file that is in memory alone. The nil starter is
// that of a system where none runs.
type starter struct {
	file *os.File
}

// newStarter returns a starter that was seen to work; nil where there is none for this processor, or the system runs no
// program from memory.
func newStarter() *starter {
	code, machine := starterBytes()
	if len(code) == 0 {
		return nil
	}
	fd, err := unix.MemfdCreate("memcost-starter", unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	s := &starter{os.NewFile(uintptr(fd), "starter")}
	null, err := os.Open(os.DevNull)
	if err == nil {
		_, err = s.file.Write(program(code, machine))
		defer null.Close()
	}
	if err == nil {
		var p *started
		p, err = s.start(job{request: request{path: ""}, files: []int{int(null.Fd()), int(null.Fd()), int(null.Fd())}})
		if p != nil {
			_ = p.drop()
		}
	}
	if err != syscall.ENOENT { // as of a program without a name: it tried to start it
		s.file.Close()
		return nil
	}
	return s
}

// program returns the ELF file of a program that is machine code alone.
func program(code []byte, machine uint16) []byte {
	const address, head = 0x400000, 64 + 56 + 56
	var b bytes.Buffer
	size := uint64(head + len(code))
	for _, x := range []any{
		[]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		[]uint16{2, machine}, uint32(1), []uint64{address + head, 64, 0}, uint32(0), []uint16{64, 56, 2, 64, 0, 0},
		[]uint32{1, 5}, []uint64{0, address, address, size, size, 0x10000}, // all of it, to be read and run
		[]uint32{0x6474e551, 6}, make([]uint64, 6), // a stack that is not run
		code,
	} {
		_ = binary.Write(&b, binary.LittleEndian, x)
	}
	return b.Bytes()
}

// started is a process that a starter started.
type started struct {
	pid     int // of the process
	starter int
	conn    *os.File
}

// start starts a process by a starter of its own. Its error is an Errno where the process could not be started.
func (s *starter) start(j job) (*started, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	p := &started{conn: os.NewFile(uintptr(ends[0]), "starter")}
	files := []uintptr{uintptr(j.files[0]), uintptr(j.files[1]), uintptr(j.files[2]), uintptr(ends[1])}
	argv := append([]string{j.path, j.path}, j.args...)
	p.starter, err = syscall.ForkExec(fmt.Sprintf("/proc/self/fd/%d", s.file.Fd()), argv, &syscall.ProcAttr{Dir: j.dir,
		Env: j.env, Files: files, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}})
	runtime.KeepAlive(s)
	unix.Close(ends[1])
	if err != nil {
		p.conn.Close()
		return nil, err
	}
	var begun struct{ Errno, Pid int64 }
	if err := p.read(&begun); err != nil {
		return nil, errors.Join(err, p.drop())
	}
	if p.pid = int(begun.Pid); begun.Errno != 0 {
		_ = p.drop()
		return nil, syscall.Errno(begun.Errno)
	}
	return p, nil
}

func (p *started) read(into any) error {
	b := make([]byte, binary.Size(into))
	if n, err := p.conn.Read(b); err != nil {
		return err
	} else if n != len(b) {
		return io.ErrUnexpectedEOF
	}
	_, err := binary.Decode(b, binary.LittleEndian, into)
	return err
}

// wait waits until the process has ended, and returns the time from before its start to its end.
func (p *started) wait() (time.Duration, error) {
	var of struct{ Begin, End [2]int64 } // seconds and nanoseconds
	err := p.read(&of)
	return time.Duration(of.End[0]-of.Begin[0])*time.Second + time.Duration(of.End[1]-of.Begin[1]), err
}

// usage returns how the process ended and what it used; its number is free then.
func (p *started) usage() (status syscall.WaitStatus, of syscall.Rusage, err error) {
	var end struct {
		Status uint64
		Usage  [18]int64
	}
	if _, err = p.conn.Write([]byte{0}); err == nil {
		err = p.read(&end)
	}
	u := end.Usage
	of.Utime, of.Stime = syscall.Timeval{Sec: u[0], Usec: u[1]}, syscall.Timeval{Sec: u[2], Usec: u[3]}
	of.Maxrss, of.Minflt, of.Majflt, of.Nvcsw, of.Nivcsw = u[4], u[8], u[9], u[16], u[17]
	return syscall.WaitStatus(end.Status), of, err
}

// drop waits for the end of the starter.
func (p *started) drop() error {
	defer p.conn.Close()
	for {
		if _, err := syscall.Wait4(p.starter, nil, 0, nil); err != syscall.EINTR {
			return err
		}
	}
}
