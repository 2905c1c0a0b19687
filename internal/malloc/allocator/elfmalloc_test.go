package allocator

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compile builds a C file in a folder.
func compile(t *testing.T, dir, name, source string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file+".c", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, append(flags, "-o", file, file+".c")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

const (
	plain = "#include <stdlib.h>\nint main(int n, char **a) { free(malloc(n + 100)); return 0; }\n"
	own   = "#include <stddef.h>\nstatic char m[4096];\nvoid *malloc(size_t n) { return m; }\nvoid free(void *p) {}\n"
)

func TestRead(t *testing.T) {
	if file, err := os.Executable(); err != nil {
		t.Fatal(err)
	} else if f, err := Read(file); err == nil && (f.Pool == nil || f.Pool.Of != "Go") { // elsewhere no ELF file
		t.Errorf("a Go program is %+v", f)
	}
	dir := t.TempDir()
	program := func(name, source string, flags ...string) *File {
		f, err := Read(compile(t, dir, name, source, flags...))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	dynamic := program("dynamic", plain)
	if dynamic.Static() || dynamic.Malloc || dynamic.Pool != nil || dynamic.Allocator != "" || dynamic.Secure != "" {
		t.Errorf("a plain program is %+v", dynamic)
	}
	if f := program("static", plain, "-static"); !f.Static() {
		t.Errorf("a static program is %+v", f)
	}
	if f := program("linked", plain+own, "-fno-builtin"); !f.Malloc || f.Static() {
		t.Errorf("a program with a malloc of its own is %+v", f)
	}
	jemalloc := "void *je_malloc(unsigned long n) { return 0; }\n"
	if f := program("je", plain+jemalloc); f.Malloc || f.Allocator != "jemalloc" {
		t.Errorf("a program with jemalloc under names of its own is %+v", f)
	}
	if f := program("py", plain+"void *PyObject_Malloc(unsigned long n) { return 0; }\n"); f.Pool == nil ||
		f.Pool.Of != "CPython" {
		t.Errorf("a program with the functions of CPython is %+v", f)
	}
	library := program("lib.so", own, "-shared", "-fPIC")
	if why := library.Fits(dynamic); why != "" {
		t.Errorf("the library does not fit: %s", why)
	}
	other := *dynamic
	other.Machine++
	if why := library.Fits(&other); !strings.Contains(why, " is for ") {
		t.Errorf("into a program for another processor it fits: %q", why)
	}
	if why := dynamic.Fits(dynamic); !strings.HasSuffix(why, "defines no malloc") {
		t.Errorf("a program without malloc fits: %q", why)
	}
	if _, err := Read(filepath.Join(dir, "lib.so.c")); !errors.Is(err, ErrNotELF) {
		t.Errorf("of a text file: %v", err)
	}
}

// The loader's account names what each process loaded.
func TestReadLoader(t *testing.T) {
	dir := t.TempDir()
	file := compile(t, dir, "program", plain)
	library := compile(t, dir, "lib.so", own, "-shared", "-fPIC")
	real, err := Read(file)
	if err != nil {
		t.Skip(err)
	}
	if real.Musl() {
		t.Skip("the loader of musl gives no account")
	}
	cmd := exec.Command(file)
	cmd.Env = append(LoaderEnv(dir), "LD_PRELOAD="+library)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	all, err := ReadLoader(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if !all[0].Loads(library) || all[0].Loads(file) || !slices.Contains(all[0].Programs, file) {
		t.Errorf("the account is %+v", all[0])
	}
	link := filepath.Join(dir, "link.so")
	if err := os.Symlink(library, link); err != nil {
		t.Fatal(err)
	}
	if !all[0].Loads(link) {
		t.Error("by another name the library is not found")
	}
}
