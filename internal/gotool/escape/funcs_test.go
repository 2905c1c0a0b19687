package escape

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{
		"f": "f", "T.M": "T.M", "(T).M": "T.M", "(*T).M": "T.M", "*T.M": "T.M",
		"(*T[go.shape.int]).M": "T.M", "T[K, V].M": "T.M", "f[go.shape.[16]uint8]": "f",
		"f[map[string]int].func1": "f.func1",
	} {
		if got := PlainName(name); got != want {
			t.Errorf("PlainName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestFuncsOfASource(t *testing.T) {
	src, err := SourceOf(fstest.MapFS{
		"s/new.go": {Data: []byte("//go:build go1.18\n\npackage s\n\nfunc (t *T[K, V]) M() {\n\tf()\n}\n\nfunc " +
			"both() {}\n")},
		"s/old.go": {Data: []byte("//go:build !go1.18\n\npackage s\n\n// Doc.\nfunc both() {\n}\n\nfunc ((U)) " +
			"N() {}\n")},
		"s/x_test.go":   {Data: []byte("package s_test\n\nfunc BenchmarkX(b *testing.B) {\n\tfor {\n\t}\n}\n")},
		"s/broken.go":   {Data: []byte("package s\n\nfunc (\n")},
		"s/notes.txt":   {Data: []byte("func no() {}")},
		"s/sub/deep.go": {Data: []byte("package sub\n\nfunc deep() {}\n")},
	}, "s")
	want := Funcs{
		"T.M":        {{"s/new.go", 5, 7}},
		"both":       {{"s/new.go", 9, 9}, {"s/old.go", 6, 7}},
		"U.N":        {{"s/old.go", 9, 9}},
		"BenchmarkX": {{"s/x_test.go", 3, 6}},
	}
	if !reflect.DeepEqual(src.Funcs, want) {
		t.Errorf("got %v\nwant %v", src.Funcs, want)
	}
	if err == nil || !strings.Contains(err.Error(), "s/broken.go:3") {
		t.Errorf("error %v, want the position in the broken file", err)
	}
	if _, err := SourceOf(fstest.MapFS{}, "nowhere"); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v, want the folder", err)
	}
}

func TestHeapLinesFailLoudly(t *testing.T) {
	funcs := Funcs{"f": {{"a.go", 3, 5}}, "g": {{"a.go", 7, 9}}}
	compiled := Diagnostic{File: "./a.go", Line: 3, Kind: Compiled, Func: "f"}
	adrift := Diagnostic{Kind: MovedToHeap, Subject: "#next", Message: "moved to heap: #next"}
	inF := adrift
	inF.Func = "f.func1"
	tests := []struct {
		name string
		ds   []Diagnostic
		fn   string
		want int
		err  string
	}{
		{"unknown function", []Diagnostic{compiled}, "h", 0, "heap lines of h: there is no such function"},
		{"not compiled", []Diagnostic{compiled}, "g", 0, "(a.go:7): the compiler did not compile it"},
		{"no place", []Diagnostic{compiled, adrift}, "f", 0, "does not say where this is: moved to heap: #next"},
		{"placed by its function", []Diagnostic{compiled, inF}, "f", 1, ""},
		{"no verdicts, as with -l", []Diagnostic{{File: "./a.go", Line: 8, Kind: EscapesToHeap}}, "g", 1, ""},
	}
	for _, tt := range tests {
		lines, err := HeapLines(tt.ds, funcs, tt.fn)
		if len(lines) != tt.want || (err == nil) != (tt.err == "") || err != nil &&
			!strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, %v; want %d lines and error %q", tt.name, lines, err, tt.want, tt.err)
		}
	}
}

// Generic code of other packages is reported under the package that uses it, with the
// path of its own file.
func TestHeapLinesTakeTheNearestFile(t *testing.T) {
	heap := func(file string) Diagnostic { return Diagnostic{File: file, Line: 4, Kind: MovedToHeap, Subject: "x"} }
	for _, tt := range []struct {
		ours     string // the path in the fs.FS
		printed  []string
		want     int
		wantFile string
	}{
		{"iter.go", []string{"/usr/local/go/src/slices/iter.go", "./iter.go"}, 1, "./iter.go"},
		{"study/iter.go", []string{"../x/study/iter.go", "./other/iter.go"}, 1, "../x/study/iter.go"},
		{"study/iter.go", []string{"../../x/study/iter.go", "./other/iter.go"}, 1, "../../x/study/iter.go"},
		{"study/iter.go", []string{"./iter.go"}, 1, "./iter.go"},
		{"iter.go", []string{"/home/me/study/iter.go"}, 1, "/home/me/study/iter.go"},
		{"iter.go", []string{`C:\study\iter.go`, "./hiter.go"}, 1, `C:\study\iter.go`},
		{"iter.go", []string{"./hiter.go", "./other.go"}, 0, ""},
	} {
		var ds []Diagnostic
		for _, p := range tt.printed {
			ds = append(ds, heap(p))
		}
		lines, err := HeapLines(ds, Funcs{"f": {{tt.ours, 3, 5}}}, "f")
		if err != nil || len(lines) != tt.want || tt.want == 1 && lines[0].File != tt.wantFile {
			t.Errorf("%s among %q: %v, %v; want %q", tt.ours, tt.printed, lines, err, tt.wantFile)
		}
	}
}
