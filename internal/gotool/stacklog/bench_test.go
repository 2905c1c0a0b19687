package stacklog

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// endless is a log of n bytes of which every growth is another goroutine's,
// and no goroutine ends.
type endless struct {
	left int
	next uint64
	rest []byte
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && e.left > 0 {
		if len(e.rest) == 0 {
			e.rest = e.block(e.rest[:0])
		}
		k := copy(p[n:min(len(p), n+e.left)], e.rest)
		e.rest, n, e.left = e.rest[k:], n+k, e.left-k
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (e *endless) block(b []byte) []byte {
	for range 100 {
		lo := 0xc000000000 + e.next*8192
		e.next++
		b = fmt.Appendf(b, "stackalloc 2048\n  allocated %#x\nruntime: newstack sp=%#x stack=[%#x, %#x]\n", lo,
			lo+1024-8, lo, lo+2048)
		b = fmt.Appendf(b, "\tmorebuf={pc:0x4920e5 sp:%#x lr:0x0}\n\tsched={pc:0x48fd85 sp:%#x lr:0x0 "+
			"ctxt:0x0}\nstackalloc 4096\n  allocated %#x\n", lo, lo, lo+4096)
		b = fmt.Appendf(b, "copystack gp=%#x [%#x %#x %#x] -> [%#x %#x %#x]/4096\nstackfree %#x 2048\nstack grow "+
			"done\nown output %d\n",
			lo, lo, lo+1024, lo+2048, lo+4096, lo+8192-1024, lo+8192, lo, e.next)
	}
	return b
}

func BenchmarkRead(b *testing.B) {
	text, err := io.ReadAll(&endless{left: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	own := bytes.Repeat([]byte("2026/11/21 07:34:00 listening on :8080, 12 connections, 40 goroutines, no errors\n"),
		1<<18)
	real := []byte(captured(b, "go1.23.12-traced.log"))
	real = bytes.Repeat(real, 64<<20/len(real))
	for name, text := range map[string][]byte{"content=real": real, "content=endless": text, "content=own": own} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Read(bytes.NewReader(text), Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
