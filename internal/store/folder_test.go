package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOpenWithoutSamples(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, QuestionFile), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, SamplesFile), 0o777); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if f, err := Open(dir); err == nil || f != nil || Busy(dir) {
			t.Errorf("%v, %v, busy %v", f, err, Busy(dir))
		}
	}
}
