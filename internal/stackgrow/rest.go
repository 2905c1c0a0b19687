package stackgrow

import "io"

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

// hold takes a line of which the beginning may be the log's.
func (r *rest) hold(line []byte) {
	r.flush()
	r.held, r.holding = len(r.buf), true
	r.add(line)
}

// release says that of the line that was held the first n bytes are the log's.
func (r *rest) release(n int) {
	if r.holding = false; r.held+n <= len(r.buf) {
		r.buf = append(r.buf[:r.held], r.buf[r.held+n:]...)
	}
	r.held = 0
}

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
