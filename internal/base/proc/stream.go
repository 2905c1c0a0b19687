package proc

import (
	"errors"
	"fmt"
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

// clip keeps the first and the last half of a stream, in memory bounded by
// 3/2 of its limit whatever the stream's length. It reads straight into its
// own buffers: io.Copy's 32 KiB a stream would be garbage for the harness's
// collector while a sample runs.
type clip struct {
	half int
	head []byte
	tail []byte // grows to 2*half, then its last half moves to the front
	lost int64
}

func newClip(limit int) *clip {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &clip{half: max(limit/2, 1)}
}

// ReadFrom reads r to its end.
func (c *clip) ReadFrom(r io.Reader) (total int64, err error) {
	for {
		room := c.room()
		n, err := r.Read(room)
		c.filled(n)
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// Write keeps p; os/exec asks for an io.Writer, then uses ReadFrom.
func (c *clip) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > 0 {
		n := copy(c.room(), p)
		c.filled(n)
		p = p[n:]
	}
	return total, nil
}

// room returns the free part of the buffer that the next bytes are read into. It is
// never empty.
func (c *clip) room() []byte {
	if len(c.head) < c.half {
		c.head = grow(c.head, c.half)
		return c.head[len(c.head):cap(c.head)]
	}
	if len(c.tail) == 2*c.half {
		c.lost += int64(c.half)
		c.tail = c.tail[:copy(c.tail, c.tail[c.half:])]
	}
	c.tail = grow(c.tail, 2*c.half)
	return c.tail[len(c.tail):cap(c.tail)]
}

func (c *clip) filled(n int) {
	if len(c.head) < c.half {
		c.head = c.head[:len(c.head)+n]
		return
	}
	c.tail = c.tail[:len(c.tail)+n]
}

// grow gives b spare capacity, of exactly limit bytes in the end.
func grow(b []byte, limit int) []byte {
	if len(b) < cap(b) {
		return b
	}
	bigger := make([]byte, len(b), min(max(2*cap(b), 4096), limit))
	copy(bigger, b)
	return bigger
}

// bytes returns the kept bytes, with a line between the two halves where bytes were
// dropped, and the number of dropped bytes.
func (c *clip) bytes() (kept []byte, lost int64) {
	tail, lost := c.tail, c.lost
	if over := len(tail) - c.half; over > 0 {
		tail, lost = tail[over:], lost+int64(over)
	}
	if lost == 0 {
		return append(c.head, tail...), 0
	}
	mark := fmt.Sprintf("\n[... %d bytes of output dropped ...]\n", lost)
	return append(append(c.head, mark...), tail...), lost
}

// DefaultLimit is the number of bytes kept of each output stream.
const DefaultLimit = 1 << 20
