package settings

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// File says in one line why a file cannot be loaded into the programs of this machine as a shared
// library, "" where it can. The dynamic loader says it in a line on standard error, goes on
// without the library, and the program then runs under its own allocator.
func File(path string) string {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	if err != nil {
		return "it cannot be read: " + pathless(err)
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 && !errors.Is(err, io.EOF) {
		return "it cannot be read: " + pathless(err)
	}
	if head = head[:n]; !bytes.HasPrefix(head, []byte(elf.ELFMAG)) {
		return "it is no shared library but " + contents(head)
	}
	return machineOf(f)
}

func pathless(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

// contents says what a file is that is no ELF file.
func contents(head []byte) string {
	switch {
	case len(head) == 0:
		return "an empty file"
	case bytes.HasPrefix(head, []byte("!<arch>")):
		return "an archive for the linker"
	case !bytes.ContainsRune(head, 0) && utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)]):
		return "a text file"
	}
	return "a file of another kind"
}

// machineOf holds a library to the program that runs: memcost itself. Only the header counts, so
// that a file that is cut short is named for its machine, too.
func machineOf(f *os.File) string {
	head := make([]byte, 20)
	if _, err := f.ReadAt(head, 0); err != nil {
		return "its header is incomplete"
	}
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	here, err := elf.Open(own)
	if err != nil {
		return "" // no system with ELF files
	}
	defer here.Close()
	var order binary.ByteOrder = binary.LittleEndian
	if elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	class, machine := elf.Class(head[elf.EI_CLASS]), elf.Machine(order.Uint16(head[18:]))
	if class != here.Class || machine != here.Machine {
		return fmt.Sprintf("it is for %s, and this machine runs %s", kind(class, machine), kind(here.Class,
			here.Machine))
	}
	if elf.Type(order.Uint16(head[16:])) != elf.ET_DYN {
		return "it is no shared library but another kind of ELF file"
	}
	return ""
}

// kind names what a file was built for: "x86_64 (64 bits)".
func kind(class elf.Class, machine elf.Machine) string {
	bits := map[elf.Class]string{elf.ELFCLASS32: " (32 bits)", elf.ELFCLASS64: " (64 bits)"}
	return strings.ToLower(strings.TrimPrefix(machine.String(), "EM_")) + bits[class]
}

// isOneOf reports whether a file is one of several, which may be links.
func isOneOf(file string, all []string) bool {
	is, err := os.Stat(file)
	return err == nil && slices.ContainsFunc(all, func(other string) bool {
		o, err := os.Stat(other)
		return err == nil && os.SameFile(is, o)
	})
}
