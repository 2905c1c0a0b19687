package binary

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// build compiles testdata/program.
func build(t *testing.T, platform string, flags ...string) string {
	t.Helper()
	goos, goarch, _ := strings.Cut(platform, "/")
	out := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), "main.go")...)
	cmd.Dir = filepath.Join("testdata", "program")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", platform, err, text)
	}
	return out
}

func open(t *testing.T, path string) *Program {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	p, err := Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wanted are the calls that the comments of testdata/program/main.go name, "line target".
func wanted(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile("testdata/program/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, line := range strings.Split(string(source), "\n") {
		if _, comment, ok := strings.Cut(line, "// runtime."); ok {
			for _, target := range strings.Fields("runtime." + comment) {
				out = append(out, fmt.Sprint(i+1, " ", target))
			}
		}
	}
	return out
}

func ofMain(pkg string) bool { return pkg == "main" }

// The calls of a program whose source says which they are, on every platform.
func TestCallsOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for several platforms")
	}
	want := wanted(t)
	for _, c := range []struct {
		platform string
		flags    []string
		chains   bool
	}{
		{"linux/amd64", nil, true},
		{"linux/amd64", []string{"-ldflags=-s -w"}, false},
		{"linux/amd64", []string{"-buildmode=pie"}, true},
		{"linux/arm64", nil, true},
		{"windows/amd64", nil, true},
		{"windows/amd64", []string{"-ldflags=-s -w"}, false},
		{"darwin/arm64", nil, true},
		{"darwin/arm64", []string{"-ldflags=-s -w"}, false},
	} {
		name := fmt.Sprint(c.platform, c.flags)
		p := open(t, build(t, c.platform, c.flags...))
		calls, err := p.Calls(ofMain)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]bool{}
		for _, call := range calls {
			got[fmt.Sprint(call.Chain[0].Line, " ", call.Target)] = true
			if at, ok := p.CallAt(call.Return); !ok || at.Target != call.Target || at.Func != call.Func {
				t.Errorf("%s: at %#x is %+v, want %+v", name, call.Return, at, call)
			}
			if _, ok := p.CallAt(call.Return + 1); ok {
				t.Errorf("%s: a call ends at %#x, too", name, call.Return+1)
			}
		}
		for _, w := range want {
			if !got[w] {
				t.Errorf("%s: no call %s in %v", name, w, got)
			}
		}
		checkChain(t, name, calls, c.chains)
		if whole := len(p.Partial()) == 0; whole != c.chains {
			t.Errorf("%s: partial: %q", name, p.Partial())
		}
	}
}

// checkChain looks for the object that two levels of inlined functions make in outer.
func checkChain(t *testing.T, name string, calls []Call, chains bool) {
	t.Helper()
	var got []string
	for _, c := range calls {
		if c.Func != "main.outer" {
			continue
		}
		var funcs []string
		for _, f := range c.Chain {
			funcs = append(funcs, f.Func)
		}
		got = append(got, strings.Join(funcs, " < "))
	}
	slices.Sort(got)
	want := []string{"main.inner < main.middle < main.outer", "main.inner < main.outer"}
	if !chains {
		want = []string{"main.outer", "main.outer"}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: outer has %q, want %q", name, got, want)
	}
}

// runs runs a program and returns the heap profile that it writes.
func runs(t *testing.T, program string) *profile.Profile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "heap")
	if text, err := exec.Command(program, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The chains are those that the runtime finds in its own tables, at every address of a
// profile where something was allocated.
func TestChainsAreThoseOfTheProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	path := build(t, "linux/amd64")
	heap := runs(t, path)
	compareChains(t, open(t, path), heap)
	for _, want := range []string{"main.value.make", "main.filled[go.shape.", "main.inner"} {
		if !slices.ContainsFunc(heap.Sample, func(s *profile.Sample) bool {
			return strings.HasPrefix(s.Location[0].Line[0].Function.Name, want)
		}) {
			t.Errorf("the profile has nothing of %s", want)
		}
	}
}

func compareChains(t *testing.T, p *Program, heap *profile.Profile) {
	t.Helper()
	leaves, seen := 0, map[uint64]bool{}
	for _, s := range heap.Sample {
		leaf := s.Location[0]
		if seen[leaf.Address] {
			continue
		}
		seen[leaf.Address] = true
		call, ok := p.CallAt(leaf.Address + 1)
		if !ok {
			t.Errorf("no call at the leaf %s", linesOf(leaf))
			continue
		}
		leaves++
		var chain []string
		for _, f := range call.Chain {
			chain = append(chain, fmt.Sprint(f.Func, " ", f.File, ":", f.Line))
		}
		if got, want := strings.Join(chain, ", "), linesOf(leaf); got != want {
			t.Errorf("%s at %#x:\n got %s\nwant %s", call.Target, leaf.Address, got, want)
		}
	}
	if leaves < 10 {
		t.Errorf("the profile has %d leaves only", leaves)
	}
}

func linesOf(l *profile.Location) string {
	var out []string
	for _, line := range l.Line {
		out = append(out, fmt.Sprint(line.Function.Name, " ", line.Function.Filename, ":", line.Line))
	}
	return strings.Join(out, ", ")
}

// go tool objdump decodes every instruction: it finds the same calls.
func TestCallsAreThoseOfTheDisassembler(t *testing.T) {
	if testing.Short() {
		t.Skip("disassembles a program")
	}
	for _, platform := range []string{"linux/amd64", "linux/arm64"} {
		path := build(t, platform)
		p := open(t, path)
		want := disassembled(t, path)
		calls, err := p.Calls(func(pkg string) bool { return pkg == "main" || pkg == "os" || pkg == "strings" })
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, c := range calls {
			got[fmt.Sprintf("%x %s", c.Return, c.Target)] = true
			if !want[fmt.Sprintf("%x %s", c.Return, c.Target)] {
				t.Errorf("%s: objdump has no call of %s before %#x", platform, c.Target, c.Return)
			}
		}
		if len(got) != len(want) || len(got) < 40 {
			t.Errorf("%s: %d calls, objdump has %d", platform, len(got), len(want))
		}
	}
}

// disassembled are the calls that objdump prints of main, os and strings, "return target".
func disassembled(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := exec.Command("go", "tool", "objdump", "-s", `^(main|os|strings)\.`, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) < 5 || f[3] != "CALL" {
			continue
		}
		target := strings.TrimSuffix(f[4], "(SB)")
		var at uint64
		if _, err := fmt.Sscanf(f[1], "0x%x", &at); err != nil {
			t.Fatal(err)
		}
		if find(target) != nil {
			out[fmt.Sprintf("%x %s", at+uint64(len(f[2])/2), target)] = true
		}
	}
	return out
}

// The addresses of a position independent program are found with the mapping's start; those of
// others are in the profile as they were linked.
func TestShiftedCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, flags := range [][]string{nil, {"-buildmode=pie"}} {
		path := build(t, "linux/amd64", flags...)
		p, heap := open(t, path), runs(t, path)
		shift := p.Shift(heap)
		if (shift != 0) != p.PIE || p.PIE != (flags != nil) {
			t.Errorf("%v: shifted by %#x", flags, shift)
		}
		for _, l := range heap.Location {
			l.Address -= shift
		}
		compareChains(t, p, heap)
	}
}
