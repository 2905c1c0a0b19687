package binary

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"

	"memcost/internal/base/hint"
)

// Open reads the function table of a Go program. r is read as long as the File is used.
func OpenSymbols(r io.ReaderAt) (*File, error) {
	f, table, err := openSymbols(r)
	if err == nil {
		err = f.read(table)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the function table of the program: %w", err)
	}
	return f, nil
}

func openSymbols(r io.ReaderAt) (*File, lines, error) {
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
