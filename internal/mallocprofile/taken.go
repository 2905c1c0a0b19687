package mallocprofile

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// WhyNot says in a sentence why the library counted nothing in a program, from the program's
// file; "" where nothing there tells.
func WhyNot(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	if info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return fmt.Sprintf("%s is set-user-ID or set-group-ID, for which the loader ignores LD_PRELOAD.", file)
	}
	f, err := elf.Open(file)
	var format *elf.FormatError
	if errors.As(err, &format) || errors.Is(err, io.EOF) {
		return fmt.Sprintf("%s is no program of this system (a script's interpreter is counted, if it can be).", file)
	}
	if err != nil {
		return ""
	}
	defer f.Close()
	return whyNotELF(file, f)
}

func whyNotELF(file string, f *elf.File) string {
	own, err := elf.Open("/proc/self/exe")
	if err == nil {
		defer own.Close()
		if own.Class != f.Class || own.Machine != f.Machine {
			return fmt.Sprintf("%s is for %v, and the library for %v.", file, f.Machine, own.Machine)
		}
	}
	if !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return file + " is linked statically: nothing can be preloaded into it. " +
			"Link it dynamically to have its calls counted."
	}
	if ownMalloc(f) {
		return file + " has a malloc of its own linked in, which it calls instead of the library's."
	}
	if libraries, err := f.ImportedLibraries(); err == nil && !slices.ContainsFunc(libraries, isLibc) {
		return file + " does not use the C library."
	}
	return ""
}

func isLibc(name string) bool { return name == "libc.so.6" || name == "libc.so" }

// ownMalloc reports whether a program defines malloc itself.
func ownMalloc(f *elf.File) bool {
	symbols, _ := f.DynamicSymbols()
	more, _ := f.Symbols()
	return slices.ContainsFunc(append(symbols, more...), func(s elf.Symbol) bool {
		return s.Name == "malloc" && s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC
	})
}
