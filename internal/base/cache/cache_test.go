package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fill makes entries of one file each, of which a name's last use is given.
func fill(t *testing.T, dir string, size int, used map[string]time.Time) {
	t.Helper()
	for name, at := range used {
		folder := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "bench.test"), make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(folder, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// left are the first letters of what a folder holds.
func left(dir string) string {
	var out []string
	all, _ := os.ReadDir(dir)
	for _, d := range all {
		if d.Name() != lockFile {
			out = append(out, strings.TrimLeft(d.Name(), ".")[:1])
		}
	}
	return strings.Join(out, " ")
}

func TestBeginTrims(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	old, kept := now.Add(-unusedFor-time.Hour), now.Add(-unusedFor+time.Hour)
	fill(t, cache, 0, map[string]time.Time{
		strings.Repeat("a", 64): old, strings.Repeat("b", 64): kept, strings.Repeat("c", 64): old,
		".new-123": old, "studies": old, "goroot": old, "limits": old, "mine": old, "toolchains/go1.13": old,
	})
	Touch(filepath.Join(cache, strings.Repeat("c", 64), "bench.test"))
	Begin(cache, now).Close()
	if got := left(cache); got != "b c g l m s t" {
		t.Errorf("left: %s", got)
	}
	if got := left(filepath.Join(cache, "toolchains")); got != "" {
		t.Errorf("left of the toolchains: %s", got)
	}
	Begin(filepath.Join(cache, "nowhere"), now).Close()
}

// What was used least recently goes first, whatever it is, until the rest is below
// the limit.
func TestSurplus(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	ago := func(hours int) time.Time { return now.Add(-time.Duration(hours) * time.Hour) }
	fill(t, cache, 1000, map[string]time.Time{
		strings.Repeat("1", 64): ago(1), strings.Repeat("2", 64): ago(20), "toolchains/go1.14": ago(30),
		"studies/5555": ago(3), "limits/go1.13": ago(25), "mine": ago(1000),
	})
	for limit, want := range map[int64]string{
		10000: "", 5000: "", 4999: "go1.14", 3999: "go1.14 go1.13", 2000: "go1.14 go1.13 222222",
	} {
		var got []string
		for _, e := range surplus(entries(cache), limit, now) {
			name := filepath.Base(e.path)
			got = append(got, name[:min(len(name), 6)])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("limit %d: %q goes, want %q", limit, got, want)
		}
	}
}

// Nothing goes while a run uses the cache, and a killed build's folder goes after it.
func TestNothingInUseGoes(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	run := Begin(cache, now)
	fill(t, cache, 10, map[string]time.Time{strings.Repeat("a", 64): now.Add(-2 * unusedFor), ".new-7": now})
	other := Begin(cache, now)
	if _, err := Clean(cache, true, false, now); !errors.Is(err, ErrInUse) {
		t.Errorf("cleaned in use: %v", err)
	}
	other.Close()
	if got := left(cache); got != "n a" {
		t.Errorf("left while a run goes on: %s", got)
	}
	run.Close()
	Begin(cache, now).Close()
	if got := left(cache); got != "" {
		t.Errorf("left after it: %s", got)
	}
}

func TestClean(t *testing.T) {
	cache := t.TempDir()
	now := time.Now()
	fill(t, cache, 100, map[string]time.Time{
		strings.Repeat("a", 64): now, strings.Repeat("b", 64): now.Add(-2 * unusedFor),
		"toolchains/go1.13": now, "mine": now,
	})
	sealed := filepath.Join(cache, "toolchains", "go1.13")
	if err := os.Chmod(sealed, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		all, dryRun bool
		want        Freed
	}{
		{true, true, Freed{Entries: 3, Bytes: 300, Binaries: 2, Downloads: 1}},
		{false, true, Freed{Entries: 1, Bytes: 100, Binaries: 1, Kept: 2, KeptBytes: 200}},
		{false, false, Freed{Entries: 1, Bytes: 100, Binaries: 1, Kept: 2, KeptBytes: 200}},
		{true, false, Freed{Entries: 2, Bytes: 200, Binaries: 1, Downloads: 1}},
		{true, false, Freed{}},
	} {
		if got, err := Clean(cache, tt.all, tt.dryRun, now); err != nil || got != tt.want {
			t.Errorf("all %v, dry run %v: %+v, %v, want %+v", tt.all, tt.dryRun, got, err, tt.want)
		}
	}
	if got := left(cache); got != "m t" {
		t.Errorf("left: %s", got)
	}
	if got, err := Clean(filepath.Join(cache, "nowhere"), true, false, now); err != nil || got != (Freed{}) {
		t.Errorf("of no cache: %+v, %v", got, err)
	}
}
