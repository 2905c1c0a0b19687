package proc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A remote is a launcher, seen from the program that started it.
type remote struct {
	wire
	null    *os.File
	replies chan reply
	started atomic.Pointer[func(pid int)] // is told of what was started
	ended   chan struct{}                 // closed when the launcher has ended, and res and err are set
	res     Result
	err     error
	mu      sync.Mutex // one process at a time
	asking  sync.Mutex // a frame is sent whole
	once    sync.Once
	stop    context.CancelFunc // kills the launcher
}

func startRemote() (*remote, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to run it again as a launcher: %w", err)
	}
	if os.Getenv(launcherVar) != "" {
		return nil, errors.New("starting a launcher: this is one; the program does not call proc.LauncherMain first")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		null.Close()
		return nil, fmt.Errorf("connecting a launcher: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &remote{wire: wire(ends[0]), null: null, replies: make(chan reply, 1), ended: make(chan struct{}), stop: stop}
	theirs := os.NewFile(uintptr(ends[1]), "launcher")
	go func() {
		defer close(l.ended)
		defer theirs.Close()
		// It lives as long as the connection: killed, it could not end the group of what it runs.
		l.res, l.err = new(Runner).Run(ctx, Cmd{Path: self, Args: []string{launcherArg}, Files: []*os.File{theirs},
			Env:  CleanEnv(os.Environ(), launcherVar+"=1", "GOGC=off", "GOMAXPROCS=2"),
			tune: func(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = 0 }})
	}()
	go func() {
		defer close(l.replies)
		for {
			body, _, err := l.receive()
			if err != nil {
				return
			}
			var r reply
			if _, err := binary.Decode(body, binary.LittleEndian, &r); err != nil {
				return
			}
			if f := l.started.Load(); r.PID != 0 {
				if f != nil && *f != nil {
					(*f)(int(r.PID))
				}
				continue
			}
			l.replies <- r
		}
	}()
	return l, nil
}

// close ends the launcher: it sees the end of the connection.
func (l *remote) close() error {
	l.once.Do(func() {
		_ = unix.Shutdown(int(l.wire), unix.SHUT_RDWR)
		select {
		case <-l.ended:
		case <-time.After(waitDelay):
			l.stop()
			<-l.ended
		}
		for range l.replies { // until its reader has ended
			continue
		}
		unix.Close(int(l.wire))
		l.null.Close()
		l.stop()
	})
	if l.err != nil {
		return l.err
	}
	return l.res.Err("launching processes")
}

// run has the launcher run a process.
func (l *remote) run(ctx context.Context, c Cmd) (Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return Result{}, startError(ctx, c, ctx.Err())
	}
	l.started.Store(&c.Started)
	p := &process{stdout: newClip(c.Limit), stderr: newClip(c.Limit)}
	q, err := requestOf(c)
	if err == nil {
		err = p.pipes(c)
	}
	if err != nil {
		return Result{}, startError(ctx, c, err)
	}
	stdin := l.null
	if f, ok := c.Stdin.(*os.File); ok {
		stdin = f
	}
	files := []int{int(stdin.Fd()), int(p.streams[0].w.Fd()), int(p.streams[1].w.Fd())}
	for _, f := range files[1:] { // the process shares this setting of the pipe with us
		_ = unix.SetNonblock(f, false)
	}
	if err = l.ask(q.bytes(), files...); err != nil {
		p.drop()
		return Result{}, startError(ctx, c, l.died(err))
	}
	p.read()
	r, asked, err := l.wait(ctx, c.Timeout)
	p.finish()
	switch {
	case err != nil:
		return Result{}, fmt.Errorf("running %s: %w", c.Path, err)
	case r.Errno != 0:
		return Result{}, startError(ctx, c, &os.PathError{Op: "fork/exec", Path: c.Path, Err: syscall.Errno(r.Errno)})
	}
	res := r.result()
	res.timeout = c.Timeout
	res.Stdout, res.StdoutLost = p.stdout.bytes()
	res.Stderr, res.StderrLost = p.stderr.bytes()
	if asked && (res.ExitCode != 0 || res.Signal != "") {
		if ctx.Err() != nil {
			return res, fmt.Errorf("running %s: stopped: %w", c.Path, context.Cause(ctx))
		}
		res.TimedOut = true
	}
	return res, nil
}

// requestOf looks the program up, and makes its environment, as os/exec does it: of several values of a
// variable a C program would read the first.
func requestOf(c Cmd) (request, error) {
	cmd := exec.Command(c.Path)
	cmd.Env = c.Env
	q, err := request{path: cmd.Path, dir: c.Dir, tell: c.Started != nil, watch: c.Watch, args: c.Args, env: cmd.Environ()},
		cmd.Err
	if err == nil && bytes.Count(q.bytes(), []byte{0}) != 4+len(q.args)+len(q.env) {
		err = syscall.EINVAL // as of a program that is started with a NUL in a word
	}
	return q, err
}

// wait waits for the end of the process, and asks for it when ctx ends or the time is over.
func (l *remote) wait(ctx context.Context, limit time.Duration) (r reply, asked bool, err error) {
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	var whole bool
	select {
	case r, whole = <-l.replies:
	case <-ctx.Done():
		asked = true
		_ = l.ask(nil) // an empty frame; where it cannot be sent, the launcher has ended
		r, whole = <-l.replies
	}
	if !whole {
		err = l.died(nil)
	}
	return r, asked, err
}

// ask sends a frame.
func (l *remote) ask(frame []byte, files ...int) error {
	l.asking.Lock()
	defer l.asking.Unlock()
	return l.send(frame, files...)
}

// terminate asks what runs to end: a frame of one byte does, as an empty one asks to kill it.
func (l *remote) terminate() error {
	if err := l.ask([]byte{0}); err != nil {
		return l.died(err)
	}
	return nil
}

// died says why the launcher is not there any more.
func (l *remote) died(err error) error {
	select {
	case <-l.ended:
	case <-time.After(waitDelay):
		return errors.Join(errors.New("the process that launches others does not answer"), err)
	}
	return errors.Join(errors.New("the process that launches others has ended"), l.err, l.res.Err("it"), err)
}
