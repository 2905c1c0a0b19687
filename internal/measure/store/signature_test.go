package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document is its user's own as long as no byte of it is changed, and nobody else's.
func TestSigned(t *testing.T) {
	t.Setenv("MEMCOST_CONFIG", filepath.Join(t.TempDir(), "mine"))
	f := create(t)
	path := filepath.Join(f.Dir, QuestionFile)
	if err := Signed(f.Dir, QuestionFile); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := ReadQuestion(f.Dir, &v); err != nil || v["a"] != 1.0 || len(v) != 3 {
		t.Errorf("read %v, %v", v, err)
	}
	own, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range own {
		changed := bytes.Clone(own)
		changed[i] ^= 1
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		if Signed(f.Dir, QuestionFile) == nil {
			t.Errorf("byte %d changed, and it is still signed: %q", i, changed)
		}
	}
	if err := os.WriteFile(path, own, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"none", "theirs"} {
		t.Setenv("MEMCOST_CONFIG", filepath.Join(t.TempDir(), other))
		if other == "theirs" {
			create(t)
		}
		if err := Signed(f.Dir, QuestionFile); err == nil {
			t.Errorf("it has the signature of %s", other)
		}
	}
	if err := os.WriteFile(path, []byte("{\n  \"a\": 1\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Signed(f.Dir, QuestionFile); err == nil || !strings.Contains(err.Error(), "no signature") {
		t.Errorf("without a signature: %v", err)
	}
}
