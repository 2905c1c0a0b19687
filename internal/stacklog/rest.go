package stacklog

import (
	"io"
	"slices"
)

// rest collects what the program itself wrote, and passes it on in blocks.
type rest struct {
	to      io.Writer
	buf     []byte
	held    int // buf from here on waits for the decision what of it is the log's
	holding bool
	err     error
}

// add takes what is the program's.
func (r *rest) add(b []byte) {
	if r.to == nil || r.err != nil || len(b) == 0 {
		return
	}
	r.buf = append(r.buf, b...)
	if len(r.buf) >= block/4 {
		r.flush()
	}
}

// hold keeps what comes from here on, because some of it may be the log's.
func (r *rest) hold() {
	r.flush()
	r.held, r.holding = len(r.buf), true
}

// release takes out of what is held the parts that are the log's.
func (r *rest) release(parts []span) {
	r.holding, r.held = false, 0
	for _, s := range slices.Backward(parts) {
		if s.at+s.n <= len(r.buf) { // it is not held where nobody wants it
			r.buf = slices.Delete(r.buf, s.at, s.at+s.n)
		}
	}
}

// span is n bytes from at on of what is held.
type span struct{ at, n int }

// flush passes on what is decided.
func (r *rest) flush() {
	if r.holding || len(r.buf) == 0 {
		return
	}
	if r.err == nil {
		_, r.err = r.to.Write(r.buf)
	}
	r.buf = r.buf[:0]
}
