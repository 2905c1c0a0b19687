// This part of the package finds, in a Go program, the calls of the runtime's functions that
// allocate: what the machine code does, whatever the compiler printed.

package binary

import (
	"debug/gosym"
	"encoding/binary"
	"fmt"
	"strings"
)

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

// An allocator is a function of the runtime, or several whose names begin alike, that
// allocates on behalf of its caller.
type allocator struct {
	name    string // with its package; a "*" at the end stands for anything
	does    string
	certain bool // each call allocates, unless for 0 bytes
}

// allocators are what compiled code calls (cmd/compile/internal/typecheck/_builtin/runtime.go
// of Go 1.13 to 1.27, and the calls that cmd/compile/internal/ssagen makes besides), what cgo
// calls, and what other packages of the standard library call by go:linkname. The first that
// fits counts. Those that are not certain keep short strings and small values in a buffer or
// in the runtime's own tables, have room left, or reuse what was freed.
var allocators = []allocator{
	{"runtime.newobject", "makes an object", true},
	{"runtime.newarray", "makes an array", true},
	{"runtime.mallocgc*", "makes an object", true}, // with its variants by size from Go 1.26 on
	{"runtime.makeslicecopy", "makes a slice and copies into it", true},
	{"runtime.makeslice*", "makes a slice", true},
	{"runtime.growslice*", "grows a slice", false},
	{"runtime.moveSlice*", "copies a slice to the heap", false},
	{"runtime.makechan*", "makes a channel", true},
	{"runtime.makemap_small", "makes a map", true},
	{"runtime.makemap*", "makes a map", false}, // small ones may be on the stack
	{"runtime.mapassign*", "stores into a map", false},
	{"runtime.mapclone*", "copies a map", true},
	{"runtime.mapiterinit", "begins to range over a map", false}, // until Go 1.23
	{"runtime.convTnoptr", "puts a value into an interface", true},
	{"runtime.convT2*", "puts a value into an interface", true}, // until Go 1.14
	{"runtime.convT", "puts a value into an interface", true},
	{"runtime.convT*", "puts a value into an interface", false}, // not of small numbers, "" and nil
	{"runtime.concatstring*", "joins strings", false},
	{"runtime.concatbyte*", "joins strings into bytes", false},
	{"runtime.slicebytetostringtmp", "", false},
	{"runtime.slicebytetostring", "makes a string of bytes", false},
	{"runtime.stringtoslicebyte", "makes bytes of a string", false},
	{"runtime.stringtoslicerune", "makes runes of a string", false},
	{"runtime.slicerunetostring", "makes a string of runes", false},
	{"runtime.intstring", "makes a string of a rune", false},
	{"runtime.gostring*", "makes a string of C memory", false},
	{"runtime.gobytes", "makes bytes of C memory", false},
	{"runtime.newproc", "starts a goroutine", false},
	{"runtime.deferprocStack", "", false},
	{"runtime.deferproc*", "records a deferred call", false},
	{"runtime.deferrangefunc", "records deferred calls of a range", false},
	{"reflect.unsafe_NewArray", "makes an array", true},
	{"reflect.unsafe_New", "makes an object", true},
	{"internal/reflectlite.unsafe_New", "makes an object", true},
	{"reflect.growslice", "grows a slice", false},
	{"reflect.makechan", "makes a channel", true},
	{"reflect.makemap", "makes a map", true},
	{"reflect.mapassign*", "stores into a map", false},
	{"reflect.mapclone", "copies a map", true},
	{"maps.clone", "copies a map", true},
	{"internal/bytealg.MakeNoZero", "makes a slice", true},
	{"strings.makeNoZero", "makes a slice", true},
	{"internal/runtime/maps.newobject", "makes an object", true},
	{"internal/runtime/maps.newarray", "makes an array", true},
	{"internal/runtime/maps.NewEmptyMap", "makes a map", true},
	{"internal/runtime/maps.NewMap", "makes a map", false},
	{"time.newTimer", "makes a timer", true},
}

func (a allocator) is(name string) bool {
	prefix, open := strings.CutSuffix(a.name, "*")
	return open && strings.HasPrefix(name, prefix) || a.name == name
}

// find returns the allocator of that name, nil if it is none.
func find(name string) *allocator {
	for i := range allocators {
		if allocators[i].is(name) {
			if allocators[i].does == "" {
				return nil
			}
			return &allocators[i]
		}
	}
	return nil
}

// Does says in plain words what a call of a function of the runtime does: "makes an object".
// Of a function that is not known to allocate it says that it is called.
func Does(target string) string {
	if a := find(target); a != nil {
		return a.does
	}
	return "calls " + target
}

// Certain reports whether the function allocates each time that it is called, unless for 0
// bytes.
func Certain(target string) bool {
	a := find(target)
	return a != nil && a.certain
}

// chain returns where an instruction of a function comes from, innermost first.
func (p *Program) chain(f *gosym.Func, pc uint64) []Frame {
	_, file, line := p.Line(pc)
	at := Frame{Func: f.Name, File: file, Line: line}
	if p.chains == nil && p.broken == nil && p.Debug {
		p.chains, p.broken = readChains(p)
	}
	if p.chains == nil {
		return []Frame{at}
	}
	inlined, err := p.chains.at(f.Entry, pc)
	if err != nil {
		p.broken, p.chains = err, nil
		return []Frame{at}
	}
	var out []Frame
	for _, in := range inlined { // the innermost first
		out = append(out, Frame{Func: in.name, File: at.File, Line: at.Line})
		at.File, at.Line = in.file, in.line
	}
	if len(out) > 0 && wraps(at) {
		return out
	}
	return append(out, at)
}

// wraps reports whether a function is one that the compiler made around another: a method of
// a pointer, a method value, what a go or defer statement runs. Profiles leave its frame out
// where it contains the other.
func wraps(f Frame) bool {
	last := f.Func[strings.LastIndexByte(f.Func, '.')+1:]
	return f.File == "<autogenerated>" || strings.HasPrefix(last, "gowrap") || strings.HasPrefix(last, "deferwrap") ||
		strings.HasSuffix(last, "-fm")
}

// Calls returns the calls of the runtime's functions that allocate, in all functions whose
// package is accepted, by address. A function that was inlined belongs to the package of
// the function that contains its machine code.
func (p *Program) Calls(accept func(pkg string) bool) ([]Call, error) {
	var out []Call
	funcs := p.Funcs()
	for i := range funcs {
		if !accept(PackageOf(funcs[i].Name)) {
			continue
		}
		calls, err := p.callsIn(&funcs[i])
		if err != nil {
			return nil, err
		}
		out = append(out, calls...)
	}
	return out, nil
}

func (p *Program) callsIn(f *gosym.Func) ([]Call, error) {
	m, known := machines[p.Arch]
	if !known || f.End <= f.Entry {
		return nil, nil
	}
	code, err := p.between(f.Entry, f.End)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	var out []Call
	for at := 0; at+m.size <= len(code); {
		if target, ok := m.target(code[at:], f.Entry+uint64(at)); ok && p.wanted[target] {
			at += m.size
			out = append(out, p.call(f, f.Entry+uint64(at), target))
			continue
		}
		at += m.stride
	}
	return out, nil
}

func (p *Program) call(f *gosym.Func, ret, target uint64) Call {
	return Call{Return: ret, Target: p.names[target], Func: f.Name, Chain: p.chain(f, ret-1)}
}

// CallAt returns the call whose instruction ends at an address, in any package: for the leaf
// of a stack, which runtime/pprof gives the address ret-1. Its target may be any function
// that is called directly. It is false of any other instruction.
func (p *Program) CallAt(ret uint64) (Call, bool) {
	m, known := machines[p.Arch]
	size := uint64(m.size)
	f := p.At(ret - 1)
	if f == nil || !known || ret-f.Entry < size {
		return Call{}, false
	}
	code, err := p.between(ret-size, ret)
	if err != nil {
		return Call{}, false
	}
	target, ok := m.target(code, ret-size)
	if !ok || p.names[target] == "" {
		return Call{}, false
	}
	return p.call(f, ret, target), true
}

// A machine is an architecture whose calls can be read.
type machine struct {
	stride int // how far apart instructions may begin
	size   int // of a call
	// target reads the call of that size at the beginning of some machine code that stands at an address.
	target func(code []byte, at uint64) (uint64, bool)
}

var machines = map[string]machine{"amd64": {1, 5, callAMD64}, "arm64": {4, 4, callARM64}}

// callAMD64 reads CALL with a distance of 32 bits. Instructions have no common length, so
// that all bytes are tried: others than those of a call are taken for one if they are 0xe8
// and are followed by the exact distance to one of about 80 functions, which 1 byte in
// 2^8 × 2^32/80 ≈ 1.4e10 does by chance. A program of 60 MB has 2.5e7 of them.
func callAMD64(code []byte, at uint64) (uint64, bool) {
	distance := int64(int32(binary.LittleEndian.Uint32(code[1:])))
	return at + 5 + uint64(distance), code[0] == 0xe8
}

// callARM64 reads BL: six bits 100101, then the distance in instructions. The linker puts a
// jump in between where a program has more than 128 MB of code; such calls are not seen.
func callARM64(code []byte, at uint64) (uint64, bool) {
	word := binary.LittleEndian.Uint32(code)
	distance := int64(int32(word<<6) >> 6)
	return at + uint64(distance*4), word>>26 == 0x25
}
