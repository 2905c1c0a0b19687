package binary

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"errors"
)

func fromELF(f *elf.File) (*File, lines, error) {
	out := &File{
		Arch: elfArch(f), PIE: f.Type == elf.ET_DYN, BuildID: elfBuildID(f), dwarf: f.DWARF,
		Debug: f.Section(".debug_info") != nil || f.Section(".zdebug_info") != nil,
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			out.Base = p.Vaddr - p.Off
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

// elfBuildID reads the note that profiles name a program by.
func elfBuildID(f *elf.File) string {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil || len(data) < 16 || string(data[12:16]) != "GNU\x00" {
		return ""
	}
	size := f.ByteOrder.Uint32(data[4:])
	if uint64(size) > uint64(len(data)-16) {
		return ""
	}
	return hex.EncodeToString(data[16 : 16+size])
}
