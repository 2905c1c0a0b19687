package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// afterEnd limits what is read of a stream after the process and its group have ended.
// No pipe holds more than this, so further bytes come from a process that left the
// group, and nothing waits for those.
const afterEnd = 1 << 20

// stream hands an output stream of a process to a reader while it runs. The
// process waits for a slow reader; nothing is dropped.
type stream struct {
	r, w  *os.File
	read  func(io.Reader)
	ended atomic.Bool
	rest  int           // bytes still to be read after the end
	wait  time.Duration // and how long to wait for them, all together
	done  chan struct{}
}

// output connects an output stream with its reader, or with what keeps it.
func output(read func(io.Reader), kept *clip) (io.Writer, *stream, error) {
	if read == nil {
		return kept, nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return w, &stream{r: r, w: w, read: read, rest: afterEnd, wait: waitDelay, done: make(chan struct{})}, nil
}

// start begins to read: the process has its own copy of the end to write to.
func (s *stream) start() {
	if s == nil {
		return
	}
	s.w.Close()
	go func() {
		defer close(s.done)
		defer s.r.Close()
		s.read(s)
		io.Copy(io.Discard, s) // a reader that gave up does not stop the process
	}()
}

func (s *stream) Read(p []byte) (int, error) {
	ended := s.ended.Load()
	if ended && (s.rest <= 0 || s.wait <= 0) {
		return 0, io.EOF
	}
	if ended {
		p = p[:min(len(p), s.rest)]
		s.r.SetReadDeadline(time.Now().Add(s.wait))
	}
	began := time.Now()
	n, err := s.r.Read(p)
	if ended {
		s.rest, s.wait = s.rest-n, s.wait-time.Since(began)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// finish waits until everything has been read, after the end of the process.
func (s *stream) finish() {
	if s == nil {
		return
	}
	s.ended.Store(true)
	s.r.SetReadDeadline(time.Now().Add(waitDelay)) // of a Read that waits already
	<-s.done
}

// drop closes the stream of a process that was not started.
func (s *stream) drop() {
	if s != nil {
		s.r.Close()
		s.w.Close()
	}
}

// input connects the process with its input. A file is passed to the process directly.
// Any other reader is copied by a goroutine that nobody waits for, because it may block
// on a terminal. Calling the returned function starts the copying.
func input(cmd *exec.Cmd, r io.Reader) (start func(), err error) {
	if f, ok := r.(*os.File); ok || r == nil {
		if ok {
			cmd.Stdin = f
		}
		return func() {}, nil
	}
	w, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return func() {
		go func() {
			io.Copy(w, r)
			w.Close()
		}()
	}, nil
}

// waitDelay bounds the wait for output that a process which left our group
// (setsid) still holds open after the process itself has ended.
const waitDelay = 2 * time.Second
