package escape

import (
	"bytes"
	"fmt"
	"strconv"
)

// The pairs in which a value is put into an interface.

var (
	boxed    interface{} // keeps what is stored, as any container of interfaces does
	unboxed  vec
	table    [8]vec
	keptLine []byte
	printed  bytes.Buffer
	verbose  bool
)

func boxingEscapes(i int) int {
	boxed = vec{i, 1, 2}
	return boxed.(vec).X
}

func boxingFixed(i int) int {
	unboxed = vec{i, 1, 2}
	return unboxed.X
}

// pointerShapedEscapes boxes a value: the interface points to a new copy of it.
func pointerShapedEscapes(i int) int {
	table[i&7] = vec{i, 1, 2}
	boxed = table[i&7]
	return boxed.(vec).X
}

// pointerShapedFixed boxes a pointer: the interface holds the pointer itself.
func pointerShapedFixed(i int) int {
	table[i&7] = vec{i, 1, 2}
	boxed = &table[i&7]
	return boxed.(*vec).X
}

// fmtEscapes formats two numbers; the buffer has its capacity already, so only the
// arguments allocate.
func fmtEscapes(i int) int {
	printed.Reset()
	fmt.Fprintf(&printed, "%d/%d", large(i), large(i+1))
	return printed.Len()
}

func fmtFixed(i int) int {
	keptLine = strconv.AppendInt(keptLine[:0], int64(large(i)), 10)
	keptLine = append(keptLine, '/')
	keptLine = strconv.AppendInt(keptLine, int64(large(i+1)), 10)
	return len(keptLine)
}

// logLine writes a line when the program is verbose, which it is not.
//
//go:noinline
func logLine(format string, args ...interface{}) int {
	if !verbose {
		return 0
	}
	n, _ := fmt.Fprintf(&printed, format, args...)
	return n
}

// logGuardEscapes prepares the arguments of a line that is not written.
func logGuardEscapes(i int) int {
	return i + logLine("%d of %d", large(i), large(i+1))
}

// logGuardFixed asks before it prepares them.
func logGuardFixed(i int) int {
	if verbose {
		return i + logLine("%d of %d", large(i), large(i+1))
	}
	return i
}

func interfacePairs() []pair {
	return []pair{
		{cause: "boxing", escapes: boxingEscapes, fixed: boxingFixed, allocs: always(1), saved: always(0)},
		{cause: "pointer-shaped", escapes: pointerShapedEscapes, fixed: pointerShapedFixed, allocs: always(1),
			saved: always(0)},
		{cause: "fmt", escapes: fmtEscapes, fixed: fmtFixed, allocs: always(2), saved: always(0)},
		{cause: "log-guard", escapes: logGuardEscapes, fixed: logGuardFixed, allocs: always(2), saved: always(0)},
	}
}
