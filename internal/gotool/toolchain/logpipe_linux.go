package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"memcost/internal/base/proc"
)

// StackLogAlone reports that a program's stack log is separate from its standard error:
// it has a descriptor of its own, to a named pipe.
const StackLogAlone = true

// stackLogVar names the pipe, behind ten digits: see stacklog_linux.go.txt.
const stackLogVar = "MEMCOST_STACK_LOG"

const (
	// logPipeSize is the size of the log's pipe, so that a thread of the program seldom
	// waits for the reader. It is the most that a user who is not root may ask for
	// (/proc/sys/fs/pipe-max-size).
	logPipeSize = 1 << 20

	// logLeft is how long the end of a log is waited for after its process has ended: a
	// child that was forked without an execve may hold the pipe open.
	logLeft = 5 * time.Second
)

// RunLogged runs a program that BuildStackLog built, and lets read have its stack
// log while it is written. It is the log of this process alone: of another one
// with such a runtime that the program starts, it has one line. RunLogged returns
// when read has.
func RunLogged(ctx context.Context, r *proc.Runner, c proc.Cmd, read func(io.Reader)) (proc.Result, error) {
	dir, err := os.MkdirTemp("", "memcost-stack-log-")
	if err != nil {
		return proc.Result{}, fmt.Errorf("making a folder for the pipe of the stack log: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "log")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return proc.Result{}, fmt.Errorf("making the pipe of the stack log, %s: %w", path, err)
	}
	in, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // waits for no writer
	if err != nil {
		return proc.Result{}, fmt.Errorf("opening the pipe of the stack log: %w", err)
	}
	defer in.Close()
	writer, err := os.OpenFile(path, os.O_WRONLY, 0) // the log does not end before the program has opened it
	if err != nil {
		return proc.Result{}, fmt.Errorf("opening the pipe of the stack log: %w", err)
	}
	defer writer.Close()
	if raw, err := in.SyscallConn(); err == nil {
		// else it is smaller, and slower
		raw.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, logPipeSize) })
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], stackLogVar+"=0000000000"+path)
	log, done := &logPipe{File: in, left: logPipeSize}, make(chan struct{})
	go func() {
		defer close(done)
		read(log)
		io.Copy(io.Discard, log) // a reader that gave up must not stop the program
	}()
	res, err := r.Run(ctx, c)
	writer.Close()
	log.ended.Store(true)
	in.SetReadDeadline(time.Now().Add(logLeft)) // of a Read that waits already
	<-done
	return res, err
}

// logPipe is the end of the pipe that is read.
type logPipe struct {
	*os.File
	ended atomic.Bool // the process
	left  int         // bytes that may come after that: the pipe holds no more
}

func (l *logPipe) Read(p []byte) (int, error) {
	ended := l.ended.Load()
	if ended {
		if l.left <= 0 {
			return 0, io.EOF
		}
		p = p[:min(len(p), l.left)]
		l.SetReadDeadline(time.Now().Add(logLeft))
	}
	n, err := l.File.Read(p)
	if ended {
		l.left -= n
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}
