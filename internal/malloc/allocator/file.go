// This part of the package reads what an ELF program has to do with malloc: whether anything can be
// loaded into it, whether it brings an allocator of its own, and, from what the dynamic loader
// wrote, which libraries its processes loaded.

package allocator

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A File is what is known of a program or a library.
type File struct {
	Path        string
	Class       elf.Class
	Machine     elf.Machine
	Interpreter string   // the dynamic loader; "" in a library, and in a program that is linked statically
	Needs       []string // the libraries that it is linked with
	Malloc      bool     // it defines malloc for the whole process
	// Allocator is the allocator that is linked into it, as its symbols and texts name it; ""
	// where none was recognized.
	Allocator string
	Pool      *Pool // nil: none was recognized
	// Secure is why the loader ignores LD_PRELOAD for it; "" where it does not.
	Secure string
}

// A Pool is an allocator between a program and malloc, or instead of it.
type Pool struct {
	Of     string // "CPython"
	Advice string // what has it use malloc; "" where nothing does
}

// ErrNotELF is the error of a file that is something else: a script, for instance.
var ErrNotELF = errors.New("it is no ELF file")

// Read reads a program or a library.
func Read(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != elf.ELFMAG {
		return nil, fmt.Errorf("reading %s: %w", path, ErrNotELF)
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("reading the ELF file %s: %w", path, err)
	}
	out := &File{Path: path, Class: e.Class, Machine: e.Machine}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			text, err := io.ReadAll(p.Open())
			if err != nil {
				return nil, fmt.Errorf("reading the ELF file %s: %w", path, err)
			}
			out.Interpreter = string(bytes.TrimRight(text, "\x00"))
		}
	}
	out.Needs, _ = e.ImportedLibraries() // none where it is linked statically
	out.symbols(e)
	if info, err := f.Stat(); err == nil {
		out.Secure = secure(f, info)
	}
	return out, nil
}

// marks are functions by which a known allocator is recognized, and texts that it has in it.
var marks = []struct {
	allocator string
	functions []string
	text      string
}{
	{"jemalloc", []string{"mallctl", "je_mallctl", "je_malloc"}, "<jemalloc>"},
	{"mimalloc", []string{"mi_malloc"}, "mimalloc: "},
	{"tcmalloc", []string{"tc_malloc", "TCMallocInternalMalloc"}, ""},
	{"TBB malloc", []string{"scalable_malloc"}, ""},
	{"rpmalloc", []string{"rpmalloc"}, ""},
}

// pools are functions that only a program with such a pool defines.
var pools = []struct {
	function string
	prefix   bool
	pool     Pool
}{
	{"PyObject_Malloc", false, Pool{"CPython", "PYTHONMALLOC=malloc has it call malloc for every object"}},
	{"_emalloc", false, Pool{"PHP", "USE_ZEND_ALLOC=0 has it call malloc for every value"}},
	{"JVM_Clone", false, Pool{"the Java virtual machine", ""}},
	{"_ZN2v87Isolate", true, Pool{"the JavaScript engine V8", ""}},
}

// symbols looks for allocators and pools among what the file defines.
func (f *File) symbols(e *elf.File) {
	dynamic, _ := e.DynamicSymbols()
	local, _ := e.Symbols() // of a stripped file there are none
	defined := map[string]bool{}
	for i, s := range slices.Concat(dynamic, local) {
		kind := elf.ST_TYPE(s.Info)
		if s.Section == elf.SHN_UNDEF || kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC {
			continue
		}
		defined[s.Name] = true
		f.Malloc = f.Malloc || i < len(dynamic) && s.Name == "malloc"
		for _, p := range pools {
			if s.Name == p.function || p.prefix && strings.HasPrefix(s.Name, p.function) {
				f.Pool = &p.pool
			}
		}
	}
	if e.Section(".go.buildinfo") != nil {
		f.Pool = &Pool{"Go", ""}
	}
	texts := func(string) bool { return false }
	if s := e.Section(".rodata"); s != nil && f.Interpreter != "" {
		if data, err := s.Data(); err == nil {
			texts = func(text string) bool { return text != "" && bytes.Contains(data, []byte(text)) }
		}
	}
	for _, m := range marks {
		if slices.ContainsFunc(m.functions, func(name string) bool { return defined[name] }) || texts(m.text) {
			f.Allocator = m.allocator
			return
		}
	}
}

// Static reports whether a program is linked statically: then there is no loader that would load
// anything into it.
func (f *File) Static() bool { return f.Interpreter == "" }

// Musl reports whether a program's C library is musl.
func (f *File) Musl() bool { return strings.Contains(f.Interpreter, "ld-musl") }

// ReadsTunables returns why a program reads no GLIBC_TUNABLES, "" if it does: another C library does not, and in a
// static program the names of the tunables stand.
func (f *File) ReadsTunables() string {
	if f.Musl() {
		return f.Path + " is linked with musl, which reads no setting of the GNU C library"
	}
	if !f.Static() {
		return ""
	}
	data, err := os.ReadFile(f.Path)
	if err == nil && !bytes.Contains(data, []byte("glibc.malloc.")) {
		return f.Path + " is linked statically, and not with the GNU C library: nothing in it reads GLIBC_TUNABLES"
	}
	return ""
}

// Fits returns why a library cannot be loaded into a program, "" if it can.
func (f *File) Fits(program *File) string {
	if f.Machine != program.Machine || f.Class != program.Class {
		return fmt.Sprintf("%s is for %s, and the program is for %s", f.Path, f.kind(), program.kind())
	}
	if !f.Malloc {
		return f.Path + " defines no malloc"
	}
	return ""
}

// kind names the machine that a file is for: "x86_64, 64 bits".
func (f *File) kind() string {
	name := strings.ToLower(strings.TrimPrefix(f.Machine.String(), "EM_"))
	switch f.Class {
	case elf.ELFCLASS32:
		name += ", 32 bits"
	case elf.ELFCLASS64:
		name += ", 64 bits"
	}
	return name
}

// A Process is one process of a program, as the dynamic loader of the GNU C library saw it.
type Process struct {
	Programs []string // what it executed, as it was called, one after the other
	Loaded   []string // the files of the libraries that were set up in it
}

// LoaderEnv returns the variables by which the loader writes what it loads into files in a folder,
// one for each process: see ld.so(8). A program that ignores LD_PRELOAD ignores them, too.
func LoaderEnv(dir string) []string {
	return []string{"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + filepath.Join(dir, loaderFile)}
}

const loaderFile = "loader"

// ReadLoader reads what the loader wrote into a folder.
func ReadLoader(dir string) ([]Process, error) {
	names, err := filepath.Glob(filepath.Join(dir, loaderFile+".*"))
	if err != nil {
		return nil, err
	}
	var out []Process
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, ParseLoader(text))
	}
	return out, nil
}

// ParseLoader reads what the loader wrote of one process. Each line has the process's number in
// front; the lines that count are "calling init: FILE" and "initialize program: NAME".
func ParseLoader(text []byte) (p Process) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, line, _ := strings.Cut(lines.Text(), ":\t")
		if file, ok := strings.CutPrefix(line, "calling init: "); ok && !slices.Contains(p.Loaded, file) {
			p.Loaded = append(p.Loaded, file)
		}
		if name, ok := strings.CutPrefix(line, "initialize program: "); ok {
			p.Programs = append(p.Programs, name)
		}
	}
	return p
}

// Loads reports whether a process loaded a library.
func (p Process) Loads(library string) bool {
	real, err := filepath.EvalSymlinks(library)
	return slices.ContainsFunc(p.Loaded, func(file string) bool {
		if file == library {
			return true
		}
		other, errOther := filepath.EvalSymlinks(file)
		return err == nil && errOther == nil && other == real
	})
}

// machineName returns what compilers call the processor that this program runs on.
func machineName() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	case "386":
		return "i386"
	}
	return runtime.GOARCH
}
