package binary

import (
	"bytes"
	"debug/pe"
	"errors"
)

func fromPE(f *pe.File) (*File, lines, error) {
	optional, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok {
		return nil, lines{}, errors.New("it is a program for 32 bits")
	}
	out := &File{
		PIE:  optional.DllCharacteristics&pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE != 0,
		Base: optional.ImageBase, dwarf: f.DWARF,
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
