package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/malloc/allocator"
)

// A program is what is known of the files that run.
type program struct {
	main  *allocator.File // nil for a script
	files map[string]*allocator.File
}

// file reads a file once; nil where it is no ELF file.
func (p *program) file(path string) *allocator.File {
	if f, known := p.files[path]; known {
		return f
	}
	f, err := allocator.Read(path)
	if err != nil {
		f = nil
	}
	if p.files == nil {
		p.files = map[string]*allocator.File{}
	}
	p.files[path] = f
	return f
}

// own returns the allocator that the program has by itself, as its files and what its processes
// loaded show.
func (p *program) own(t trial) string {
	if f := p.main; f != nil {
		switch {
		case f.Pool != nil && f.Pool.Of == "Go" && f.Static():
			return "Go's own allocator"
		case f.Malloc && f.Allocator != "":
			return f.Allocator
		case f.Malloc && f.Static():
			return allocator.GLIBC
		case f.Malloc:
			return "its own malloc"
		case f.Musl():
			return "musl"
		}
	}
	for _, x := range t.processes {
		for _, path := range x.Loaded {
			if f := p.file(path); f != nil && f.Malloc && f.Interpreter == "" && !isLoader(path) {
				if f.Allocator != "" {
					return f.Allocator
				}
				short, _, _ := strings.Cut(filepath.Base(path), ".so")
				return strings.TrimPrefix(short, "lib")
			}
		}
	}
	return allocator.GLIBC
}

// libc returns the C library that the program's processes loaded, "" where there is none.
func (p *program) libc(t trial) string {
	for _, x := range t.processes {
		for _, path := range x.Loaded {
			if base := filepath.Base(path); strings.HasPrefix(base, "libc.so") || strings.HasPrefix(base, "libc-2") {
				return path
			}
		}
	}
	return ""
}

// isLoader reports whether a library is the dynamic loader, which has a malloc for itself.
func isLoader(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, "ld-linux") || strings.HasPrefix(base, "ld.so") || strings.HasPrefix(base, "ld64") ||
		strings.HasPrefix(base, "ld-2") || strings.HasPrefix(base, "libc.so") || strings.HasPrefix(base, "libc-2")
}

// notes says what is to be known of the program's own way to allocate.
func (p *program) notes(t trial, words []string) (out []string) {
	seen := map[string]bool{}
	look := func(f *allocator.File, main bool) {
		if f == nil {
			return
		}
		if f.Pool != nil && !seen[f.Pool.Of] {
			seen[f.Pool.Of] = true
			out = append(out, poolSays(f.Pool, words)...)
		}
		if main && f.Allocator != "" && !f.Malloc && !seen[f.Allocator] {
			seen[f.Allocator] = true
			out = append(out, fmt.Sprintf("%s has %s linked in, under names of its own: what is preloaded takes the "+
				"place of malloc alone, which it may hardly call", f.Path, f.Allocator))
		}
	}
	look(p.main, true)
	for _, x := range t.processes {
		for _, name := range x.Programs {
			if strings.Contains(name, "/") {
				look(p.file(name), true)
			}
		}
		for _, path := range x.Loaded {
			look(p.file(path), false)
		}
	}
	return out
}

// poolSays says that a pool stands between the program and malloc, unless the user has turned it
// off, among the words of the command or the environment.
func poolSays(pool *allocator.Pool, words []string) []string {
	off, _, _ := strings.Cut(pool.Advice, " ")
	if pool.Advice != "" && slices.Contains(words, off) {
		return nil
	}
	say := pool.Of + " has a pool of its own: malloc serves only what the pool asks for"
	if pool.Of == "Go" {
		say = "this is a Go program: its memory comes from Go's own allocator, and malloc serves C code alone"
	}
	if pool.Advice != "" {
		say += "; " + pool.Advice
	}
	return []string{say}
}

// cannot returns why a library would not take malloc's place in the program, as their files show;
// "" where nothing speaks against it.
func (p *program) cannot(library string) string {
	lib, err := allocator.Read(library)
	if err != nil {
		return err.Error()
	}
	f := p.main
	switch {
	case f == nil:
		return ""
	case f.Pool != nil && f.Pool.Of == "Go" && f.Static():
		return "this is a Go program without C code: nothing is loaded into it, and its memory comes from Go's own " +
			"allocator"
	case f.Static():
		return f.Path + " is linked statically: nothing is loaded into it; link it with the allocator"
	case f.Secure != "":
		return f.Path + " ignores LD_PRELOAD: " + f.Secure
	case f.Malloc:
		linked := f.Allocator
		if linked == "" {
			linked = "an allocator"
		}
		return fmt.Sprintf("%s has %s linked in as malloc, which comes before anything that is preloaded", f.Path,
			linked)
	}
	if why := lib.Fits(f); why != "" {
		return why
	}
	if f.Musl() {
		return f.Path + " is linked with musl, and the library with the GNU C library"
	}
	return ""
}

// tookNot returns why a preloaded library did not take effect in a trial; "" where it did in each
// process that the loader started.
func tookNot(library string, t trial) (why string, partly bool) {
	took := 0
	for _, x := range t.processes {
		if x.Loads(library) {
			took++
		}
	}
	switch {
	case took > 0 && took == len(t.processes):
		return "", false
	case took > 0:
		return fmt.Sprintf("it was loaded into %d of %d processes of the program", took, len(t.processes)), true
	}
	for _, line := range t.errors {
		if strings.Contains(line, "ERROR: ld.so: object") {
			return "it was not loaded: " + strings.TrimPrefix(line, "ERROR: ld.so: "), false
		}
	}
	if len(t.processes) == 0 {
		return "it was not loaded: no process of the program was started by the loader of the GNU C library", false
	}
	return "it was not loaded into any process of the program", false
}

// ignored returns the line in which an allocator says that it does not know what was set for it;
// "" where there is none.
func ignored(t trial) string {
	for _, line := range t.errors {
		for _, says := range []string{"<jemalloc>: Invalid conf", "<jemalloc>: Conf string",
			"<jemalloc>: Malformed conf", "<jemalloc>: Unknown conf"} {
			if strings.Contains(line, says) {
				return line
			}
		}
	}
	return ""
}
