package escape

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// captured are the toolchains whose output is in testdata, oldest first; each has
// GOVERSION.txt (go build) and GOVERSION-test.txt (go test -c) of testdata/lair.
var captured = []string{
	"go1.13.15", "go1.16.15", "go1.18.10", "go1.20.14", "go1.23.12", "go1.25.4", "go1.26.8", "go1.27.4",
}

func readCaptured(t *testing.T, name string) *Log {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := ReadLog(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return log
}

func lairFuncs(t *testing.T) Funcs {
	t.Helper()
	funcs, err := SourceOf(os.DirFS("testdata/lair"), ".")
	if err != nil {
		t.Fatal(err)
	}
	return funcs.Funcs
}

// heapCases says, for every function of testdata/lair, from which captured version on
// (and up to which) the compiler reports something on the heap inside it.
var heapCases = []struct {
	fn          string
	since, upTo string // "" for upTo: still
	compiled    string // oldest captured version that compiles it
	subject     string // of the first heap line
}{
	{fn: "byValue", compiled: "go1.13.15"},
	{fn: "byPointer", since: "go1.13.15", compiled: "go1.13.15", subject: "b"},
	{fn: "literal", since: "go1.13.15", compiled: "go1.13.15"},
	{fn: "shareDown", compiled: "go1.13.15"},
	{fn: "leakResult", compiled: "go1.13.15"},
	{fn: "leakGlobal", since: "go1.25.4", compiled: "go1.13.15", subject: "append"},
	{fn: "bigVariable", since: "go1.25.4", compiled: "go1.13.15", subject: "s"}, // over 128 KiB, from 1.24
	{fn: "boxed", since: "go1.13.15", compiled: "go1.13.15", subject: "age"},
	{fn: "boxedConstant", since: "go1.13.15", compiled: "go1.13.15", subject: `"a constant"`},
	{fn: "mustEat", since: "go1.18.10", compiled: "go1.13.15", subject: `"no hobbit"`}, // panic's argument
	{fn: "counter", since: "go1.13.15", compiled: "go1.13.15"},
	{fn: "localClosure", compiled: "go1.13.15"},
	{fn: "variable", since: "go1.13.15", upTo: "go1.23.12", compiled: "go1.13.15", subject: "make([]byte, n)"},
	{fn: "grows", compiled: "go1.13.15"},
	{fn: "compares", compiled: "go1.13.15"},
	{fn: "prints", since: "go1.13.15", compiled: "go1.13.15"},
	{fn: "spawns", since: "go1.13.15", compiled: "go1.13.15", subject: "func literal"},
	{fn: "inlined", since: "go1.13.15", compiled: "go1.13.15"},
	{fn: "callsInlined", compiled: "go1.13.15"},
	{fn: "Bilbo.older", since: "go1.13.15", compiled: "go1.13.15", subject: "b"},
	{fn: "(Bilbo).older", since: "go1.13.15", compiled: "go1.13.15", subject: "b"},
	{fn: "(*Bilbo).renamed", compiled: "go1.13.15"},
	{fn: "stackOf", compiled: "go1.18.10"},
	{fn: "heapOf", since: "go1.18.10", compiled: "go1.18.10", subject: "c"},
	{fn: "heapOf[go.shape.[16]uint8]", since: "go1.18.10", compiled: "go1.18.10", subject: "c"},
	{fn: "(*Cave[T]).put", since: "go1.18.10", compiled: "go1.18.10", subject: "v"},
	{fn: "Cave.get", compiled: "go1.18.10"},
	{fn: "instantiate", compiled: "go1.18.10"},
	{fn: "firstOver", since: "go1.23.12", compiled: "go1.23.12"},
}

func TestHeapLinesOfCaptured(t *testing.T) {
	funcs := lairFuncs(t)
	tested := map[string]bool{"BenchmarkBilbo": true}
	for i, version := range captured {
		at := func(v string) bool { return i >= indexOf(t, v) }
		log := readCaptured(t, version)
		for _, c := range heapCases {
			tested[PlainName(c.fn)] = true
			lines, err := HeapLines(log.Diagnostics, funcs, c.fn)
			if compiled := at(c.compiled); compiled != (err == nil) {
				t.Errorf("%s: HeapLines(%s): error %v, but compiled is %v", version, c.fn, err, compiled)
				continue
			} else if !compiled {
				continue
			}
			want := c.since != "" && at(c.since) && (c.upTo == "" || i <= indexOf(t, c.upTo))
			if got := len(lines) > 0; got != want {
				t.Errorf("%s: %s on the heap is %v, want %v: %v", version, c.fn, got, want, lines)
			}
			if want && c.subject != "" && len(lines) > 0 && lines[0].Subject != c.subject {
				t.Errorf("%s: %s: subject %q, want %q", version, c.fn, lines[0].Subject, c.subject)
			}
		}
	}
	for fn := range funcs {
		if !tested[fn] {
			t.Errorf("%s of testdata/lair has no row", fn)
		}
	}
}

func indexOf(t *testing.T, version string) int {
	t.Helper()
	for i, v := range captured {
		if v == version {
			return i
		}
	}
	t.Fatalf("%s is not captured", version)
	return 0
}

func TestCapturedIsUnderstoodWhole(t *testing.T) {
	for _, version := range captured {
		for _, name := range []string{version, version + "-test"} {
			log := readCaptured(t, name)
			if log.Unknown != 0 {
				t.Errorf("%s: %d lines are unknown, such as %q", name, log.Unknown, log.UnknownLine)
			}
			for _, d := range log.Diagnostics {
				if d.Line == 0 || d.Subject == "" && d.Kind != ZeroCopy && d.Kind != Compiled || d.Message == "" {
					t.Errorf("%s: incomplete %#v", name, d)
				}
			}
		}
		// The test binary holds the package again, and a generated main.
		log := readCaptured(t, version+"-test")
		if got := strings.Join(log.Packages, " "); got != "lair [lair.test] lair.test" {
			t.Errorf("%s: packages %q", version, got)
		}
	}
}

// The benchmark's own body is part of the guard, its sub-benchmarks' closures included.
func TestHeapLinesOfBenchmark(t *testing.T) {
	for _, version := range captured {
		lines, err := HeapLines(readCaptured(t, version+"-test").Diagnostics, lairFuncs(t), "BenchmarkBilbo")
		if err != nil || len(lines) != 2 || lines[0].Subject != "func literal" {
			t.Errorf("%s: %v, %v; want the two function literals", version, lines, err)
		}
	}
}

func TestFuncIsNamed(t *testing.T) {
	find := func(version string, kind Kind, line int, subject string) Diagnostic {
		for _, d := range readCaptured(t, version).Diagnostics {
			if d.Kind == kind && strings.HasSuffix(d.File, "lair.go") && d.Line == line && d.Subject == subject {
				return d
			}
		}
		t.Errorf("%s: no %v of %s on line %d", version, kind, subject, line)
		return Diagnostic{}
	}
	for _, version := range []string{"go1.25.4", "go1.26.8", "go1.27.4"} {
		if d := find(version, MovedToHeap, 28, "b"); d.Func != "byPointer" {
			t.Errorf("%s: %v is in %q", version, d, d.Func)
		}
		if d := find(version, LeakingParam, 42, "b"); d.Func != "leakGlobal" {
			t.Errorf("%s: %v is in %q", version, d, d.Func)
		}
	}
	if d := find("go1.16.15", MovedToHeap, 28, "b"); d.Func != "" {
		t.Errorf("Go 1.16 does not name a function, but we read %q", d.Func)
	}
	// Go 1.13 puts the function before the subject: "(*Bilbo).renamed b does not escape".
	if d := find("go1.13.15", DoesNotEscape, 123, "b"); d.Func != "(*Bilbo).renamed" {
		t.Errorf("%v is in %q", d, d.Func)
	}
	if d := find("go1.27.4", LeakingParamResult, 39, "b"); d.Func != "leakResult" {
		t.Errorf("%v is in %q", d, d.Func)
	}
}

// A package and its test in one output say the same twice, and each shape of a generic
// function repeats its lines.
func TestRepetitionsCountOnce(t *testing.T) {
	for _, version := range captured {
		text, err := os.ReadFile(filepath.Join("testdata", version+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		once, err := diagnostics(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		twice, err := diagnostics(strings.NewReader(string(text) + strings.Replace(string(text), "# lair",
			"# lair [lair.test]", 1)))
		if err != nil || len(twice) != len(once) {
			t.Errorf("%s: %d diagnostics twice over, %d once (%v)", version, len(twice), len(once), err)
		}
		seen := map[string]bool{}
		for _, d := range once {
			if seen[d.String()] {
				t.Errorf("%s: %v counts twice", version, d)
			}
			seen[d.String()] = true
		}
	}
}
