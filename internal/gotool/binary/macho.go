package binary

import (
	"debug/macho"
	"errors"
)

func fromMachO(f *macho.File) (*File, lines, error) {
	out := &File{
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
		out.Base = s.Addr - s.Offset
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
