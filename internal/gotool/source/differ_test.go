package source

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"memcost/internal/gotool/toolchain"
)

// What the compiler does not read makes no other program, and everything else does.
func TestTokens(t *testing.T) {
	const code = "package p\n\nimport \"os\"\n\n// F does.\nfunc F() string { return os.Args[0] + \"x\" }\n"
	was, literals := tokens([]byte(code))
	if !slices.Equal(literals, []string{"x"}) {
		t.Errorf("strings %q", literals)
	}
	for _, tt := range []struct {
		text string
		same bool
	}{
		{code, true},
		{"// Package p is.\npackage p\n\nimport (\n\t\"os\" // files\n)\n\nfunc F() string {\n\treturn os.Args[0] + \"x\"\n}\n", false},
		{"package p\n\nimport \"os\" // files\n\nfunc F() string {\n\t/* it\n\tdoes */ return os.Args[0] + \"x\"\n}\n", true},
		{"package p\n\nimport \"os\"\n\n//go:noinline\nfunc F() string { return os.Args[0] + \"x\" }\n", false},
		{"package p\n\nimport \"os\"\n\nfunc F() string { return os.Args[0] + \"y\" }\n", false},
		{"package p\n\nimport \"os\"\n\nfunc F() string { return os.Args[0]\n + \"x\" }\n", false},
	} {
		if now, _ := tokens([]byte(tt.text)); bytes.Equal(was, now) != tt.same {
			t.Errorf("the same program %v: %s", !tt.same, tt.text)
		}
	}
	if now, _ := tokens([]byte("package p\n\"")); now != nil {
		t.Error("what is no Go has words")
	}
}

// The tests of a package may read what is test data, and what their strings name.
func TestReads(t *testing.T) {
	root := t.TempDir()
	p := &program{root: root, files: map[string]*file{}, parts: map[string]toolchain.Part{
		"m/a":      {ImportPath: "m/a", Dir: filepath.Join(root, "a")},
		"m/a.test": {ImportPath: "m/a.test", Deps: []string{"m/a [m/a.test]"}},
		"m/a [m/a.test]": {ImportPath: "m/a [m/a.test]", Dir: filepath.Join(root, "a"), GoFiles: []string{"a_test.go"},
			EmbedFiles: []string{"page.html"}},
	}}
	if err := os.Mkdir(filepath.Join(root, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"page.html": "x", "a_test.go": "package a\n\nimport \"m/docs\"\n\n" +
		"var _ = []string{\"../testdata/shared.json\", \"corpus/\", \"*.csv\", \".\"}\n"} {
		if err := os.WriteFile(filepath.Join(root, "a", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	made, err := p.made("m/a")
	if err != nil || made["a/page.html\x00embedded"] == "" || made["a/a_test.go\x00tests"] == "" {
		t.Errorf("made of %q: %v", made, err)
	}
	for name, want := range map[string]bool{
		"a/testdata/x": true, "testdata/other": true, "b/testdata/x": false, "testdata/shared.json": true,
		"README.md": false, "docs/guide.md": false, "a/corpus/1": true, "corpus/2": true, "a/data.csv": true,
		"b/data.csv": false, "a/README.md": true, "a/default.pgo": true, ".github/workflows/test.yml": false,
	} {
		if p.reads("m/a", name) != want {
			t.Errorf("%s is read: %v", name, !want)
		}
	}
}
