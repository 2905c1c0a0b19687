// This part of the package finds, in a Go program, the calls of the runtime's functions that
// allocate: what the machine code does, whatever the compiler printed.

package binary

// A Call is an instruction that calls a function of the runtime that may allocate.
type Call struct {
	// Return is the address after the instruction. The location of a sample that was
	// taken in the call has the address Return-1 (runtime/pprof subtracts 1).
	Return uint64
	Target string // "runtime.newobject"
	Func   string // the function whose machine code contains it: "memcost/x.(*T).m"
	// Chain is where the instruction comes from, innermost first; the last frame is in Func,
	// unless the compiler made that around another function: it is left out, then.
	// Without debug information it has one frame: the innermost file and line, in Func.
	Chain []Frame
}

// A Frame is a function and a line in it, as the linker wrote them, and as a profile of the
// program has them: "slices.Grow[go.shape.int]", or "slices.Grow[...]" of Go 1.18 to 1.20.
type Frame struct {
	Func, File string
	Line       int
}

// Does says in plain words what the call does: "makes an object".
func (c Call) Does() string { return Does(c.Target) }

// Certain reports whether the call allocates each time that it is made, unless for 0 bytes.
func (c Call) Certain() bool { return Certain(c.Target) }
