package stacklog

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testdata/goV-P.log is what a program P of study/stackgrowth/programs (c and
// tested: of internal/gotool/toolchain's test) wrote with that Go, on linux/amd64, two
// processors: MEMCOST_CAPTURE=DIR go test -run StackLog ./internal/gotool/toolchain
// writes such files. What is read of them is compared as text.
func TestCaptured(t *testing.T) {
	logs, _ := filepath.Glob("testdata/go*.log")
	versions := map[string]bool{}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Read(bytes.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l.Damaged != 0 || l.Bytes != int64(len(text)) || len(l.Warnings) != 0 {
			t.Errorf("%s: %d statements damaged, %d bytes of %d, warnings %v", path, l.Damaged, l.Bytes, len(text),
				l.Warnings)
		}
		version, _, _ := strings.Cut(filepath.Base(path), "-")
		versions[version] = true
	}
	if len(versions) < 5 {
		t.Errorf("logs of these versions only: %v", versions)
	}
}
