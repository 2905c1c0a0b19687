package settings

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
)

// broken are allocators of which each breaks one thing, by the macros of testdata/heap.h.
var broken = []struct{ name, macro, want string }{
	{"good", "", ""},
	{"crash in the constructor", "CONSTRUCTOR=raise(SIGSEGV)", `^it died of SIGSEGV in its constructor, before main$`},
	{"crash in calloc", "CALLOC(n)=(raise(SIGSEGV),NULL)", `^it died of SIGSEGV in calloc\(1\), after \d+ calls$`},
	{"crash after n calls", "MALLOC(n)=(calls==9876?raise(SIGSEGV),NULL:heap_get(n))",
		`^it died of SIGSEGV in malloc\(\d+\), after 1\d{4} calls$`},
	{"abort in free", "FREE(p)=if(p)abort()", `^it died of SIGABRT in free\(\d+\), after \d+ calls$`},
	{"NULL", "MALLOC(n)=(errno=ENOMEM,NULL)", `^malloc\(1\) returned NULL \(Cannot allocate memory\)$`},
	{"NULL from 4096 bytes on", "MALLOC(n)=(n>=4096?NULL:heap_get(n))", `^malloc\(4096\) returned NULL \(errno is 0\)$`},
	{"misaligned", "MALLOC(n)=((char*)heap_get(n+4)+4*(n==4096))",
		`^malloc\(4096\) returned an address that ends in [0-9a-f]4, and it must be a multiple of 16$`},
	{"overlapping", "MALLOC(n)=((char*)heap_get(n<200?n:n/8))",
		`^two blocks overlap: malloc\(\d+\) returned memory of a block of \d+ bytes that was not freed$`},
	{"overlapping small ones", "MALLOC(n)=(n>16&&n<500&&calls%1000==999?last:(last=heap_get(n)))",
		`^two blocks overlap: malloc\(\d+\) returned memory of a block of \d+ bytes that was not freed$`},
	{"writes to a freed block", "FREE(p)=heap_give(p);if(late)late[8]=1;late=p",
		`^it wrote into a block that its caller owns, which had been freed and given out again: byte 8 of \d+$`},
	{"spins", "MALLOC(n)=(calls==50?({for(;;);NULL;}):heap_get(n))", `^malloc\(\d+\) did not come back within 1s, after \d+ calls$`},
	{"spins in the constructor", "CONSTRUCTOR=for(;;)", `^it did not come back within 1s in its constructor, before main$`},
	{"exits", "MALLOC(n)=(calls==70?_exit(7),NULL:heap_get(n))",
		`^it ended the program with exit status 7 in malloc\(\d+\), after \d+ calls$`},
	{"exits in the constructor", "CONSTRUCTOR=_exit(0)",
		`^it ended the program with exit status 0 in its constructor, before main$`},
	{"calloc does not clear", "CLEAR(p,n)=(p)",
		`^calloc\(\d+\) returned a block whose byte \d+ is \d+, not 0$`},
}

func open(t *testing.T) *Probe {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("LD_PRELOAD is Linux's")
	}
	p, err := Open(t.Context(), &toolchain.Builder{Runner: &proc.Runner{}, CacheDir: t.TempDir()})
	if err == ErrNoCompiler {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Limit = time.Second
	return p
}

// library builds an allocator with one thing broken.
func library(t *testing.T, macro string) string {
	t.Helper()
	heap, err := filepath.Abs("testdata/heap.h")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := "static void *last;\nstatic unsigned char *late;\n"
	if name, value, given := strings.Cut(macro, "="); given {
		text += "#define " + name + " " + value + "\n"
	}
	text += "#include \"" + heap + "\"\n"
	c, so := filepath.Join(dir, "a.c"), filepath.Join(dir, "libbroken.so")
	if err := os.WriteFile(c, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("cc", "-w", "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", so, c).CombinedOutput()
	if err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return so
}

func TestBrokenAllocators(t *testing.T) {
	p := open(t)
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			check(t, p, library(t, c.macro), c.want)
		})
	}
}

func check(t *testing.T, p *Probe, file, want string) {
	t.Helper()
	v, err := p.Check(context.Background(), nil, []string{preload + file})
	if err != nil {
		t.Fatal(err)
	}
	if want == "" && v.Broken != "" || !regexp.MustCompile(want).MatchString(v.Broken) || strings.Contains(v.Broken,
		"\n") {
		t.Errorf("it is said that %q, want %q", v.Broken, want)
	}
}

func TestFiles(t *testing.T) {
	p := open(t)
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good, err := os.ReadFile(library(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte(nil), good...)
	binary.LittleEndian.PutUint16(other[18:], 8) // MIPS
	for _, c := range []struct{ file, want string }{
		{write("libother.so", other), `libother\.so: it is for mips \(64 bits\), and this machine runs \S+ \(64 bits\)$`},
		{dir + "/libnone.so", `libnone\.so: there is no such file$`},
		{write("libtext.so", []byte("INPUT(libc.so)\n")), `it is no shared library but a text file$`},
		{write("libempty.so", nil), `it is no shared library but an empty file$`},
		{write("liba.so", []byte("!<arch>\nmore")), `it is no shared library but an archive for the linker$`},
		{write("libcut.so", other[:20]), `it is for mips`},
		{dir, `cannot be read`},
		{p.path, `.`},
	} {
		check(t, p, c.file, c.want)
	}
	if v, err := p.Check(t.Context(), nil, nil); err != nil || v.Broken != "" || v.Library == "" || v.Fills {
		t.Errorf("the C library's own: %+v, %v", v, err)
	}
}

// A library that has nothing of malloc leaves the program its own.
func TestNoMalloc(t *testing.T) {
	p := open(t)
	so := filepath.Join(t.TempDir(), "libnothing.so")
	cmd := exec.Command("cc", "-shared", "-fPIC", "-x", "c", "-o", so, "-")
	cmd.Stdin = strings.NewReader("int nothing;")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	check(t, p, so, `^it defines no malloc: malloc is that of \S+$`)
}

// What an allocator writes at its start is kept, and one that fills freed blocks is noticed.
func TestSays(t *testing.T) {
	p := open(t)
	so := library(t, `CONSTRUCTOR=write(2,"heap: no key\n",13)`)
	v, err := p.Check(t.Context(), nil, []string{preload + so})
	if err != nil || v.Broken != "" || len(v.Says) != 1 || v.Says[0] != "heap: no key" || v.Fills {
		t.Errorf("%+v, %v", v, err)
	}
	so = library(t, "FREE(p)=if(p){memset(p,0xdd,((struct head*)p-1)->size);heap_give(p);}")
	if v, err = p.Check(t.Context(), nil, []string{preload + so}); err != nil || v.Broken != "" || !v.Fills {
		t.Errorf("%+v, %v", v, err)
	}
}
