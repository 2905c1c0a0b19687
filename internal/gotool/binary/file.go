// This part of the package reads an executable file of Go (ELF, Mach-O or PE): its functions and
// lines, which a stripped file has too, its machine code and its debug information.

package binary

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"memcost/internal/base/hint"
)

// A Program is an executable file of Go. Addresses are those that it was linked for. It is not for
// several goroutines at once.
type Program struct {
	Arch  string // as GOARCH; "" of an architecture that is not known here
	PIE   bool   // it is loaded elsewhere than it was linked for
	Debug bool   // it has debug information

	// base is what the mapping of a profile starts at, less what the offset of that mapping
	// in the file is, if the program is loaded where it was linked for.
	base uint64

	table *gosym.Table
	code  []section
	dwarf func() (*dwarf.Data, error)

	chains *chains           // nil until somebody asks, see chain
	broken error             // why there are none
	names  map[uint64]string // of the functions, by their first address
	wanted map[uint64]bool   // first addresses of those that allocate
	short  bool              // the names of generic functions have "[...]" for the types
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

// Open reads a program's functions: a file of ELF, Mach-O or PE, stripped or not, of any Go
// version from 1.13 on. Its machine code and debug information are read when they are
// asked for, so that r must stay open.
func Open(r io.ReaderAt) (*Program, error) {
	p, table, err := openFile(r)
	if err == nil {
		err = p.read(table)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the function table of the program: %w", err)
	}
	return p, nil
}

// read sets the functions of a program.
func (p *Program) read(l lines) error {
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
	p.table, p.names, p.wanted = table, map[uint64]string{}, map[uint64]bool{}
	for _, f := range table.Funcs {
		p.names[f.Entry] = f.Name
		p.short = p.short || strings.Contains(f.Name, "[...]")
		if find(f.Name) != nil {
			p.wanted[f.Entry] = true
		}
	}
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
func (p *Program) Funcs() []gosym.Func { return p.table.Funcs }

// At returns the function whose machine code has the address, nil if there is none.
func (p *Program) At(pc uint64) *gosym.Func {
	funcs := p.table.Funcs
	i := sort.Search(len(funcs), func(i int) bool { return funcs[i].Entry > pc })
	if i == 0 || pc >= funcs[i-1].End {
		return nil
	}
	return &funcs[i-1]
}

// Line returns the function whose machine code has the address, and the file and line that
// the instruction was compiled from; "" if there is none. Where another function was
// inlined, file and line are that function's.
func (p *Program) Line(pc uint64) (function, file string, line int) {
	file, line, fn := p.table.PCToLine(pc)
	if fn == nil {
		return "", "", 0
	}
	return fn.Name, file, line
}

// between returns the machine code from an address to another.
func (p *Program) between(from, to uint64) ([]byte, error) {
	for _, s := range p.code {
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

func openFile(r io.ReaderAt) (*Program, lines, error) {
	if f, err := elf.NewFile(r); err == nil {
		return fromELF(f)
	}
	if f, err := macho.NewFile(r); err == nil {
		return fromMachO(f)
	}
	if f, err := macho.NewFatFile(r); err == nil {
		return nil, lines{}, hint.New("take out one with lipo -thin", "it holds programs for %d architectures",
			len(f.Arches))
	}
	f, err := pe.NewFile(r)
	if err != nil {
		return nil, lines{}, errors.New("it is neither an ELF, nor a Mach-O, nor a PE file")
	}
	return fromPE(f)
}

func fromELF(f *elf.File) (*Program, lines, error) {
	out := &Program{
		Arch: elfArch(f), PIE: f.Type == elf.ET_DYN, dwarf: f.DWARF,
		Debug: f.Section(".debug_info") != nil || f.Section(".zdebug_info") != nil,
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			out.base = p.Vaddr - p.Off
			break
		}
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Type == elf.SHT_PROGBITS {
			out.code = append(out.code, section{s.Addr, s.Size, s.ReaderAt})
		}
	}
	text, table := f.Section(".text"), f.Section(".gopclntab")
	if table == nil {
		table = f.Section(".data.rel.ro.gopclntab") // of a position independent one
	}
	if text == nil || table == nil {
		return nil, lines{}, errors.New("it has no section .gopclntab: was it built by Go?")
	}
	data, err := table.Data()
	return out, lines{elfText(f, text, table), data}, err
}

// elfText returns the address of runtime.text. That is where the section of machine code
// begins, unless a C linker put its own code there first.
func elfText(f *elf.File, text, table *elf.Section) uint64 {
	symbols, _ := f.Symbols() // a stripped program has none
	for i := range symbols {
		if symbols[i].Name == "runtime.text" {
			return symbols[i].Value
		}
	}
	if start := moduleText(f, table.Addr); start >= text.Addr && start < text.Addr+text.Size {
		return start
	}
	return text.Addr
}

// Places in runtime.moduledata, in words: its first one points to the function table. They
// are the same from Go 1.16 to 1.27 (runtime/symtab.go). Up to 1.17 the entries of the
// table are whole addresses, and nobody needs runtime.text.
const (
	moduleTextWord  = 22
	moduleEtextWord = 23
)

// moduleText finds runtime.text in runtime.moduledata, 0 if it is not there: the values of
// a position independent program are set when it is loaded.
func moduleText(f *elf.File, table uint64) uint64 {
	if f.Class != elf.ELFCLASS64 {
		return 0
	}
	pointer := make([]byte, 8)
	f.ByteOrder.PutUint64(pointer, table)
	for _, name := range []string{".go.module", ".noptrdata", ".data"} {
		s := f.Section(name)
		if s == nil || s.Type != elf.SHT_PROGBITS {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		for at := bytes.Index(data, pointer); at >= 0 && at+8*(moduleEtextWord+1) <= len(data); {
			word := func(i int) uint64 { return f.ByteOrder.Uint64(data[at+8*i:]) }
			if start := word(moduleTextWord); at%8 == 0 && start != 0 && start < word(moduleEtextWord) {
				return start
			}
			next := bytes.Index(data[at+1:], pointer)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return 0
}

func elfArch(f *elf.File) string {
	switch {
	case f.Machine == elf.EM_X86_64:
		return "amd64"
	case f.Machine == elf.EM_AARCH64:
		return "arm64"
	}
	return ""
}

func fromMachO(f *macho.File) (*Program, lines, error) {
	out := &Program{
		PIE: f.Flags&macho.FlagPIE != 0, dwarf: f.DWARF,
		Debug: f.Section("__debug_info") != nil || f.Section("__zdebug_info") != nil,
	}
	switch f.Cpu {
	case macho.CpuAmd64:
		out.Arch = "amd64"
	case macho.CpuArm64:
		out.Arch = "arm64"
	}
	if s := f.Segment("__TEXT"); s != nil {
		out.base = s.Addr - s.Offset
	}
	text, table := f.Section("__text"), f.Section("__gopclntab")
	if text == nil || table == nil {
		return nil, lines{}, errors.New("it has no section __gopclntab: was it built by Go?")
	}
	out.code = []section{{text.Addr, text.Size, text.ReaderAt}}
	data, err := table.Data()
	return out, lines{machoText(f, text.Addr), data}, err
}

// machoText returns the address of runtime.text, which stands behind other code where
// Apple's linker was used.
func machoText(f *macho.File, text uint64) uint64 {
	if f.Symtab == nil {
		return text
	}
	for i := range f.Symtab.Syms {
		if s := &f.Symtab.Syms[i]; s.Name == "runtime.text" || s.Name == "_runtime.text" {
			return s.Value
		}
	}
	return text
}

func fromPE(f *pe.File) (*Program, lines, error) {
	optional, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok {
		return nil, lines{}, errors.New("it is a program for 32 bits")
	}
	out := &Program{
		PIE:  optional.DllCharacteristics&pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE != 0,
		base: optional.ImageBase, dwarf: f.DWARF,
		Debug: f.Section(".debug_info") != nil || f.Section(".zdebug_info") != nil,
	}
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		out.Arch = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		out.Arch = "arm64"
	}
	text := f.Section(".text")
	if text == nil {
		return nil, lines{}, errors.New("it has no section .text")
	}
	start := optional.ImageBase + uint64(text.VirtualAddress)
	out.code = []section{{start, uint64(min(text.Size, text.VirtualSize)), text.ReaderAt}}
	if s := peSymbol(f, "runtime.text"); s != nil {
		start += uint64(s.Value)
	}
	data, err := peTable(f)
	return out, lines{start, data}, err
}

// peSymbol returns a symbol of the linker, nil if the program was stripped.
func peSymbol(f *pe.File, name string) *pe.Symbol {
	for _, s := range f.Symbols {
		if s.Name == name && s.SectionNumber >= 1 && int(s.SectionNumber) <= len(f.Sections) {
			return s
		}
	}
	return nil
}

// peTable returns the function table, which has no section of its own.
func peTable(f *pe.File) ([]byte, error) {
	start, end := peSymbol(f, "runtime.pclntab"), peSymbol(f, "runtime.epclntab")
	if start == nil || end == nil {
		return strippedTable(f)
	}
	data, err := f.Sections[start.SectionNumber-1].Data()
	if err != nil {
		return nil, err
	}
	if end.Value > uint32(len(data)) || start.Value > end.Value {
		return nil, errors.New("its section of the function table is too short")
	}
	return data[start.Value:end.Value], nil
}

// strippedTable looks for how a function table begins: a number that says its version, two
// zeros, the size of the shortest instruction, and that of a pointer (runtime/symtab.go and
// debug/gosym).
func strippedTable(f *pe.File) ([]byte, error) {
	s := f.Section(".rdata")
	if s == nil {
		return nil, errors.New("it has no section .rdata: was it built by Go?")
	}
	data, err := s.Data()
	if err != nil {
		return nil, err
	}
	for _, version := range []byte{0xf1, 0xf0, 0xfa, 0xfb} { // of Go 1.20, 1.18, 1.16 and 1.2
		for _, instruction := range []byte{1, 4} {
			head := []byte{version, 0xff, 0xff, 0xff, 0, 0, instruction, 8}
			if at := bytes.Index(data, head); at >= 0 {
				return data[at:], nil
			}
		}
	}
	return nil, errors.New("it has no function table: was it built by Go?")
}
