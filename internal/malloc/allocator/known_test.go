package allocator

import (
	"os"
	"path/filepath"
	"testing"

	"memcost/internal/base/hint"
)

func TestChoose(t *testing.T) {
	library := filepath.Join(t.TempDir(), "libmine.so.3")
	if err := os.WriteFile(library, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Choice{GLIBC: {Name: GLIBC}, library: {"mine", library}} {
		if got, err := Choose(name); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	for _, c := range Installed() {
		if got, err := Choose(c.Name); err != nil || got != c {
			t.Errorf("%s is installed as %+v and chosen as %+v, %v", c.Name, c, got, err)
		}
	}
	for _, bad := range []string{"jemaloc", "./nowhere.so", "libnowhere.so.2", ""} {
		if got, err := Choose(bad); !hint.IsUsage(err) {
			t.Errorf("%q: %+v, %v; want a usage error", bad, got, err)
		}
	}
}

func TestReaderOf(t *testing.T) {
	for variable, want := range map[string]string{"MALLOC_CONF": "jemalloc", "MIMALLOC_VERBOSE": "mimalloc",
		"MALLOC_ARENA_MAX": GLIBC, "GLIBC_TUNABLES": GLIBC, "PYTHONMALLOC": "", "SCUDO_OPTIONS": "scudo"} {
		if got := ReaderOf(variable); got != want {
			t.Errorf("%s is read by %q, want %q", variable, got, want)
		}
	}
}

func TestTunables(t *testing.T) {
	got, err := Tunables("M_TRIM_THRESHOLD=0,M_TOP_PAD=64")
	if want := "glibc.malloc.trim_threshold=0:glibc.malloc.top_pad=64"; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for _, bad := range []string{"M_TOP_PAD", "TOP_PAD=0", "M_TOP_PAD=", "M_A=1,"} {
		if got, err := Tunables(bad); err == nil {
			t.Errorf("%s gives %s", bad, got)
		}
	}
}
