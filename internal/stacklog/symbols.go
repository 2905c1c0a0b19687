package stacklog

import (
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
)

// Symbols reads the function table of a Go program (ELF, Mach-O or PE), which a
// stripped one has too, and gives the hook for Log.Symbolise. Of functions that
// were inlined it names the one they were inlined into. Programs that are loaded
// elsewhere than they were linked for (-buildmode=pie) are refused.
func Symbols(program io.ReaderAt) (func(pc uint64) (function, file string, line int), error) {
	text, table, err := functionTable(program)
	if err != nil {
		return nil, fmt.Errorf("reading the function table of the program: %w", err)
	}
	symbols, err := gosym.NewTable(nil, gosym.NewLineTable(table, text))
	if err != nil {
		return nil, fmt.Errorf("reading the function table of the program: %w", err)
	}
	return func(pc uint64) (string, string, int) {
		file, line, f := symbols.PCToLine(pc)
		if f == nil {
			return "", "", 0
		}
		return f.Name, file, line
	}, nil
}

var errPIE = errors.New("it is position independent: its log has addresses that are not the file's\nhint: build " +
	"with -buildmode=exe")

// functionTable finds the table, and the address of runtime.text, from which
// its entries count.
func functionTable(program io.ReaderAt) (text uint64, table []byte, err error) {
	if f, err := elf.NewFile(program); err == nil {
		return elfTable(f)
	}
	if f, err := macho.NewFile(program); err == nil {
		return machoTable(f)
	}
	f, err := pe.NewFile(program)
	if err != nil {
		return 0, nil, errors.New("it is neither an ELF, nor a Mach-O, nor a PE file")
	}
	return peTable(f)
}

func elfTable(f *elf.File) (uint64, []byte, error) {
	if f.Type == elf.ET_DYN {
		return 0, nil, errPIE
	}
	text, table := f.Section(".text"), f.Section(".gopclntab")
	if text == nil || table == nil {
		return 0, nil, errors.New("it has no section .gopclntab: was it built by Go?")
	}
	start := text.Addr
	symbols, _ := f.Symbols() // a stripped program has none, and starts with Go's own text
	for _, s := range symbols {
		if s.Name == "runtime.text" {
			start = s.Value
		}
	}
	data, err := table.Data()
	return start, data, err
}

func machoTable(f *macho.File) (uint64, []byte, error) {
	if f.Flags&macho.FlagPIE != 0 {
		return 0, nil, errPIE
	}
	text, table := f.Section("__text"), f.Section("__gopclntab")
	if text == nil || table == nil {
		return 0, nil, errors.New("it has no section __gopclntab: was it built by Go?")
	}
	data, err := table.Data()
	return text.Addr, data, err
}

func peTable(f *pe.File) (uint64, []byte, error) {
	optional, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if ok && optional.DllCharacteristics&pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE != 0 {
		return 0, nil, errPIE
	}
	value := map[string]*pe.Symbol{}
	for _, s := range f.Symbols {
		value[s.Name] = s
	}
	text, start, end := value["runtime.text"], value["runtime.pclntab"], value["runtime.epclntab"]
	if text == nil || start == nil || end == nil || !ok || int(start.SectionNumber) > len(f.Sections) ||
		start.SectionNumber < 1 ||
		int(text.SectionNumber) > len(f.Sections) || text.SectionNumber < 1 {
		return 0, nil, errors.New("it has no symbols runtime.text and runtime.pclntab: was it stripped?")
	}
	data, err := f.Sections[start.SectionNumber-1].Data()
	if err != nil || end.Value > uint32(len(data)) || start.Value > end.Value {
		return 0, nil, fmt.Errorf("its section of the function table is too short: %w", err)
	}
	base := optional.ImageBase + uint64(f.Sections[text.SectionNumber-1].VirtualAddress)
	return base + uint64(text.Value), data[start.Value:end.Value], nil
}
