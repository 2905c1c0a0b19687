// This part of the package reads an executable file of Go (ELF, Mach-O or PE): its functions and
// lines, which a stripped file has too, its machine code and its debug information.

package binary

import (
	"debug/dwarf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
)

// A File is an executable file of Go. Addresses are those that it was linked for.
type File struct {
	Arch    string // as GOARCH; "" of an architecture that is not known here
	PIE     bool   // it is loaded elsewhere than it was linked for
	BuildID string // the GNU build ID in hexadecimal digits; "" if it has none
	Debug   bool   // it has debug information
	// Base is what the mapping of a profile starts at, less what the offset of that mapping
	// in the file is, if the program is loaded where it was linked for.
	Base uint64

	table *gosym.Table
	code  []section
	dwarf func() (*dwarf.Data, error)
}

// A section holds machine code.
type section struct {
	addr, size uint64
	r          io.ReaderAt
}

// lines is the function table as it stands in the file.
type lines struct {
	text uint64 // the address of runtime.text, from which its entries count
	data []byte
}

// read sets the functions of f.
func (f *File) read(l lines) error {
	if !l.plausible() {
		return errors.New("it is damaged")
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(l.data, l.text))
	if err != nil {
		return err
	}
	if len(table.Funcs) == 0 {
		return errors.New("it names no functions")
	}
	f.table = table
	return nil
}

// plausible reports whether a table is long enough for the number of functions that its
// head gives, of 8 bytes each at least: debug/gosym makes room for them all.
func (l lines) plausible() bool {
	if len(l.data) < 16 {
		return false
	}
	number := min(binary.LittleEndian.Uint64(l.data[8:]), binary.BigEndian.Uint64(l.data[8:]))
	if l.data[7] == 4 { // bytes of a pointer
		number = uint64(min(binary.LittleEndian.Uint32(l.data[8:]), binary.BigEndian.Uint32(l.data[8:])))
	}
	return number <= uint64(len(l.data)/8)
}

// Funcs returns all functions by address.
func (f *File) Funcs() []gosym.Func { return f.table.Funcs }

// At returns the function whose machine code has the address, nil if there is none.
func (f *File) At(pc uint64) *gosym.Func {
	funcs := f.table.Funcs
	i := sort.Search(len(funcs), func(i int) bool { return funcs[i].Entry > pc })
	if i == 0 || pc >= funcs[i-1].End {
		return nil
	}
	return &funcs[i-1]
}

// Line returns the function whose machine code has the address, and the file and line that
// the instruction was compiled from; "" if there is none. Where another function was
// inlined, file and line are that function's.
func (f *File) Line(pc uint64) (function, file string, line int) {
	file, line, fn := f.table.PCToLine(pc)
	if fn == nil {
		return "", "", 0
	}
	return fn.Name, file, line
}

// Code returns the machine code from an address to another.
func (f *File) Code(from, to uint64) ([]byte, error) {
	for _, s := range f.code {
		if from >= s.addr && from <= to && to <= s.addr+s.size {
			data := make([]byte, to-from)
			if _, err := s.r.ReadAt(data, int64(from-s.addr)); err != nil {
				return nil, fmt.Errorf("reading machine code at %#x: %w", from, err)
			}
			return data, nil
		}
	}
	return nil, fmt.Errorf("reading machine code at %#x to %#x: the file has none there", from, to)
}

// DWARF reads the debug information, which takes a while.
func (f *File) DWARF() (*dwarf.Data, error) { return f.dwarf() }
