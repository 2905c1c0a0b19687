package search

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/testkit"
)

// capturedSizes are small and large ones around the limits of all versions,
// parallel to sites.
var capturedSizes = [][]int64{
	{64, 128 << 10, 128<<10 + 1, 10 << 20, 10<<20 + 1}, // explicit
	{64, 64<<10 - 1, 64 << 10, 64<<10 + 1},             // new
	{64, 64<<10 - 1, 64 << 10, 64<<10 + 1},             // literal
	{64, 64<<10 - 1, 64 << 10, 64<<10 + 1},             // make
	{1}, {1}, {1}, {1}, {1}, {1},                       // those whose size is a variable
	{128, 129}, // closure
}

func captured(v string) string { return filepath.Join("testdata", "m2-"+v+".txt") }

// The same program with compilers of all wordings: each line's words. Go 1.14 and
// 1.15 call a constant size that is too large a "non-constant size".
func TestReadWords(t *testing.T) {
	old := map[string]words{"new_65536": {heap: true}, "literal_65536": {heap: true}, "make_65536": {heap: true}}
	small := map[string]words{"explicit_131073": {heap: true, text: "moved to heap: x", why: "too large for stack"}}
	wrong := map[string]words{"make_65537": {heap: true, text: "make([]byte, 65537) escapes to heap",
		why: "non-constant size"}}
	variable := words{heap: true, text: "make([]byte, n) escapes to heap", why: "non-constant size"}
	for _, c := range []struct {
		version string
		reasons bool // it says why
		differ  []map[string]words
	}{
		{"go1.13.15", false, []map[string]words{old, {"makevariable": {heap: true, text: variable.text}}}},
		{"go1.14.15", true, []map[string]words{old, wrong, {"makevariable": variable}}},
		{"go1.15.15", true, []map[string]words{old, wrong, {"makevariable": variable}}},
		{"go1.20.14", true, []map[string]words{{"makevariable": variable}}},
		{"go1.24.13", true, []map[string]words{small, {"makevariable": variable}}},
		{"go1.25.14", true, []map[string]words{small, {"append": {text: "append does not escape"},
			"appendreturned": {heap: true, text: "append escapes to heap"}}}},
		{"go1.27.4", true, []map[string]words{small, {"append": {text: "append does not escape"},
			"appendreturned": {heap: true, text: "append escapes to heap"}}}},
	} {
		t.Run(c.version, func(t *testing.T) {
			if *testkit.Update {
				capture(t, c.version)
			}
			p := generate(sites, capturedSizes)
			text, err := os.ReadFile(captured(c.version))
			if err != nil {
				t.Fatal(err)
			}
			said, err := readWords(text)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]words{
				"explicit_10485761": {heap: true, text: "moved to heap: x", why: "too large for stack"},
				"new_65537":         {heap: true, text: "new([65537]byte) escapes to heap", why: "too large for stack"},
				"make_65537": {heap: true, text: "make([]byte, 65537) escapes to heap",
					why: "too large for stack"},
				"literal_65537": {heap: true, why: "too large for stack"},
				"closure_129":   {heap: true, text: "moved to heap: x"},
				"new_64":        {text: "new([64]byte) does not escape"},
				"makevariable":  {text: "make([]byte, n) does not escape"},
				"stringtobytes": {text: "([]byte)(s) does not escape"},
				"bytestostring": {text: "string(b) does not escape"},
				"concat":        {text: "a + b does not escape"},
			}
			for _, more := range c.differ {
				for fn, w := range more {
					want[fn] = w
				}
			}
			for fn, line := range p.lines {
				fn = strings.TrimPrefix(fn, "try_")
				got, w := said[line], want[fn]
				if fn == "explicit_10485760" { // at the limit before Go 1.24, far beyond it after
					w.heap = want["explicit_131073"].heap
				}
				if got.heap != w.heap {
					t.Errorf("%s: the compiler says %s, read as heap %v", fn, got, got.heap)
				}
				if w.text != "" && got.text != w.text {
					t.Errorf("%s: read as %s, want %s", fn, got, w)
				}
				if w.why != "" && c.reasons && got.why != w.why {
					t.Errorf("%s: no reason in %s, want %s", fn, got, w.why)
				}
				if !c.reasons && got.why != "" {
					t.Errorf("%s: a reason that the version does not give: %s", fn, got)
				}
			}
		})
	}
}

// capture writes what a compiler says about the program.
func capture(t *testing.T, v string) {
	env, err := toolchain.Environ(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Options: Options{Go: findGo(t, v), Runner: &proc.Runner{}, Env: env}, dir: t.TempDir()}
	_, said, err := b.build(context.Background(), "words", generate(sites, capturedSizes).source, "-gcflags=-m=2")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(captured(v), said, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Output that says nothing must not be read as "all on the stack".
func TestReadWordsFailsLoudly(t *testing.T) {
	for name, text := range map[string]string{
		"empty":      "",
		"no header":  "./main.go:9:6: moved to heap: x\n",
		"not -m=2":   "# limits\n./main.go:9:6: undefined: x\n./main.go:9:6: declared and not used: y\n",
		"empty body": "# limits\n",
	} {
		if said, err := readWords([]byte(text)); err == nil {
			t.Errorf("%s: read as %v", name, said)
		}
	}
}

func TestReadCounts(t *testing.T) {
	got, err := readCounts("probe explicit 1 0\nnoise\nprobe explicit 131073 1\nprobe append 33 2\n")
	if err != nil || got["explicit"][1] != 0 || got["explicit"][131073] != 1 || got["append"][33] != 2 ||
		len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"probe explicit 1\n", "probe explicit x 1\n", "probe explicit 1 -1\n"} {
		if got, err := readCounts(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}
