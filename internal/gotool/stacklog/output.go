package stacklog

import "io"

// output collects what the program itself wrote, and passes it on in blocks.
type output struct {
	to  io.Writer
	buf []byte
	err error
}

// add takes what is the program's.
func (o *output) add(b []byte) {
	if o.to == nil || o.err != nil || len(b) == 0 {
		return
	}
	o.buf = append(o.buf, b...)
	if len(o.buf) >= block/4 {
		o.flush()
	}
}

func (o *output) flush() {
	if len(o.buf) == 0 {
		return
	}
	if o.err == nil {
		_, o.err = o.to.Write(o.buf)
	}
	o.buf = o.buf[:0]
}

// block bounds a line: what is longer is the program's own output.
const block = 256 << 10
