package allocator

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"memcost/internal/base/hint"
)

func TestVariants(t *testing.T) {
	library := filepath.Join(t.TempDir(), "libother.so.2")
	if err := os.WriteFile(library, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, keys string
		env, args  []string
	}{
		{"M_TOP_PAD=0", "allocator=glibc/setting=M_TOP_PAD=0", nil, []string{"-mM_TOP_PAD=0"}},
		{"-L GLIBC_TUNABLES=a=b", "allocator=glibc/setting=-L+GLIBC_TUNABLES=a=b", []string{"GLIBC_TUNABLES=a=b"},
			[]string{"-L"}},
		{"LD_PRELOAD=" + library, "allocator=libother/setting=default", []string{"LD_PRELOAD=" + library}, nil},
	} {
		got, err := Variants([]string{c.text})
		if err != nil || len(got) != 2 || got[0].Keys != Default {
			t.Errorf("%s: %+v, %v", c.text, got, err)
			continue
		}
		if v := got[1]; v.Keys != c.keys || !slices.Equal(v.Env, c.env) || !slices.Equal(v.Args, c.args) {
			t.Errorf("%s: %+v", c.text, v)
		}
	}
	for _, bad := range [][]string{{"NONSENSE=1"}, {"M_TOP_PAD=0", "M_TOP_PAD=0"}, {"LD_PRELOAD=libnowhere.so"},
		{"LD_PRELOAD="}} {
		if got, err := Variants(bad); !hint.IsUsage(err) {
			t.Errorf("%q: %+v, %v; want a usage error", bad, got, err)
		}
	}
}

func TestPreload(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.so"), filepath.Join(dir, "b.so")
	for _, file := range []string{a, b} {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, missing := Preload(a + ":" + b); got != "LD_PRELOAD="+a+":"+b || missing != "" {
		t.Errorf("got %q, %q", got, missing)
	}
	if _, missing := Preload(a + ":" + dir + "/c.so"); missing != dir+"/c.so" {
		t.Errorf("missing is %q", missing)
	}
}
