package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTrim(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	old, kept := now.Add(-unusedFor-time.Hour), now.Add(-unusedFor+time.Hour)
	for name, at := range map[string]time.Time{
		strings.Repeat("a", 64): old, strings.Repeat("b", 64): kept, strings.Repeat("c", 64): old,
		".new-123": old, "studies": old, "goroot": old, "limits": old,
	} {
		dir := filepath.Join(cache, name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "bench.test"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	used(filepath.Join(cache, strings.Repeat("c", 64), "bench.test"))
	(&Builder{CacheDir: cache}).Trim(now)
	var left []string
	dirs, _ := os.ReadDir(cache)
	for _, d := range dirs {
		left = append(left, d.Name()[:1])
	}
	if got := strings.Join(left, " "); got != "b c g l s" {
		t.Errorf("left: %s", got)
	}
	(&Builder{CacheDir: filepath.Join(cache, "nowhere")}).Trim(now)
}
