package binary

import (
	"debug/gosym"
	"encoding/binary"
	"fmt"
)

// Calls returns the calls of the runtime's functions that allocate, in all functions whose
// package is accepted, by address. A function that was inlined belongs to the package of
// the function that contains its machine code.
func (p *Program) Calls(accept func(pkg string) bool) ([]Call, error) {
	var out []Call
	funcs := p.file.Funcs()
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
	next := step(p.file.Arch)
	if next == nil || f.End <= f.Entry {
		return nil, nil
	}
	code, err := p.file.Code(f.Entry, f.End)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	var out []Call
	for at := 0; at < len(code); {
		target, size, ok := next(code[at:], f.Entry+uint64(at))
		if ok && p.wanted[target] {
			out = append(out, p.call(f, f.Entry+uint64(at+size), target))
			at += size
			continue
		}
		at += stride(p.file.Arch)
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
	size := uint64(callSize(p.file.Arch))
	f := p.file.At(ret - 1)
	next := step(p.file.Arch)
	if f == nil || next == nil || ret-f.Entry < size {
		return Call{}, false
	}
	code, err := p.file.Code(ret-size, ret)
	if err != nil {
		return Call{}, false
	}
	target, _, ok := next(code, ret-size)
	if !ok || p.names[target] == "" {
		return Call{}, false
	}
	return p.call(f, ret, target), true
}

// step returns what reads a call at the beginning of some machine code that stands at an
// address; nil for an architecture whose code cannot be read.
func step(arch string) func(code []byte, at uint64) (target uint64, size int, ok bool) {
	switch arch {
	case "amd64":
		return stepAMD64
	case "arm64":
		return stepARM64
	}
	return nil
}

// stride is how far apart instructions may begin.
func stride(arch string) int {
	if arch == "arm64" {
		return 4
	}
	return 1
}

func callSize(arch string) int {
	if arch == "arm64" {
		return 4
	}
	return 5
}

// stepAMD64 reads CALL with a distance of 32 bits. Instructions have no common length, so
// that all bytes are tried: others than those of a call are taken for one if they are 0xe8
// and are followed by the exact distance to one of about 80 functions, which 1 byte in
// 2^8 × 2^32/80 ≈ 1.4e10 does by chance. A program of 60 MB has 2.5e7 of them.
func stepAMD64(code []byte, at uint64) (uint64, int, bool) {
	if len(code) < 5 || code[0] != 0xe8 {
		return 0, 0, false
	}
	distance := int64(int32(binary.LittleEndian.Uint32(code[1:])))
	return at + 5 + uint64(distance), 5, true
}

// stepARM64 reads BL: six bits 100101, then the distance in instructions. The linker puts a
// jump in between where a program has more than 128 MB of code; such calls are not seen.
func stepARM64(code []byte, at uint64) (uint64, int, bool) {
	if len(code) < 4 {
		return 0, 0, false
	}
	word := binary.LittleEndian.Uint32(code)
	if word>>26 != 0x25 {
		return 0, 0, false
	}
	distance := int64(int32(word<<6) >> 6)
	return at + uint64(distance*4), 4, true
}
