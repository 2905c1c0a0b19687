package binary

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenFailsLoudly(t *testing.T) {
	for name, data := range map[string][]byte{
		"neither an ELF": []byte("a text"), "": nil,
	} {
		if _, err := Open(bytes.NewReader(data)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", data, err)
		}
	}
	shell, err := os.Open("/bin/sh")
	if err != nil {
		t.Skip("there is no program of C here")
	}
	defer shell.Close()
	if _, err := Open(shell); err == nil || !strings.Contains(err.Error(), "was it built by Go?") {
		t.Errorf("a program of C: %v", err)
	}
}

// A program for another architecture has functions and lines, and says that it has no calls.
func TestOtherArchitecture(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	for _, platform := range []string{"linux/riscv64", "linux/386"} {
		p := open(t, build(t, platform))
		calls, err := p.Calls(ofMain)
		if err != nil || len(calls) > 0 {
			t.Errorf("%s: %d calls, %v", platform, len(calls), err)
		}
		if partial := p.Partial(); len(partial) != 1 ||
			!strings.Contains(partial[0], "neither for amd64 nor for arm64") {
			t.Errorf("%s: %q", platform, partial)
		}
		for _, f := range p.Funcs() {
			if f.Name != "main.object" {
				continue
			}
			if name, file, line := p.Line(f.Entry); name != "main.object" || line < 26 || line > 28 ||
				filepath.Base(file) != "main.go" {
				t.Errorf("%s: %s %s:%d", platform, name, file, line)
			}
		}
	}
}

// A C linker puts code of its own before Go's: a stripped program does not say how much.
func TestStrippedWithC(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	source := "package main\n\n// int twice(int n) { return 2 * n; }\nimport \"C\"\n\nvar p *int\n\n" +
		"func main() { n := int(C.twice(3)); p = &n }\n"
	for name, text := range map[string]string{"main.go": source, "go.mod": "module main\n\ngo 1.20\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var counts []int
	for _, flags := range []string{"", "-s -w"} {
		cmd := exec.Command("go", "build", "-buildmode=exe", "-o", "program", "-ldflags=-linkmode=external "+flags, ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOWORK=off", "GOFLAGS=")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		calls, err := open(t, filepath.Join(dir, "program")).Calls(func(pkg string) bool { return pkg != "runtime" })
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, len(calls))
	}
	if counts[0] != counts[1] || counts[0] == 0 {
		t.Errorf("%d calls, stripped %d", counts[0], counts[1])
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.main": "main", "a.b/c%2ed.(*T[...]).m": "a.b/c.d", "slices.Grow[go.shape.[]a/b.T]": "slices",
		"encoding/json.(*decodeState).object.func1": "encoding/json", "gogo": "",
		"a/b.F[...].func1": "a/b", "a/b_test.TestX": "a/b_test",
	} {
		if got := PackageOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Each allocator is found by its own name, and what is exempt is not.
func TestAllocators(t *testing.T) {
	for name, want := range map[string]string{
		"runtime.newobject": "makes an object", "runtime.mallocgcSmallScanNoHeaderSC3": "makes an object",
		"runtime.growsliceNoAlias": "grows a slice", "runtime.convT64": "puts a value into an interface",
		"runtime.deferprocStack": "calls runtime.deferprocStack", "runtime.deferprocat": "records a deferred call",
		"runtime.slicebytetostringtmp": "calls runtime.slicebytetostringtmp",
		"runtime.printlock":            "calls runtime.printlock",
	} {
		if got := Does(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{
		"runtime.newobject": true, "runtime.convT": true, "runtime.convT64": false, "runtime.growslice": false,
		"runtime.convTnoptr": true, "runtime.makemap_small": true, "runtime.makemap": false, "runtime.memmove": false,
	} {
		if got := Certain(name); got != want {
			t.Errorf("%s: certain %v, want %v", name, got, want)
		}
	}
}
