package proc

import (
	"fmt"
	"io"
)

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
