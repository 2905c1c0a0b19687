package settings

import (
	"strings"
	"testing"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

func TestUnread(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"MALLOC_CONF=narenas:1", "glibc ignores MALLOC_CONF: it is for jemalloc"},
		{"LD_PRELOAD=/x/libjemalloc.so.2 MALLOC_CONF=narenas:1", ""},
		{"LD_PRELOAD=/x/libjemalloc.so.2 MALLOC_ARENA_MAX=1", "jemalloc ignores MALLOC_ARENA_MAX: it is for glibc"},
		{"LD_PRELOAD=/x/libmimalloc.so.2.0 MALLOC_CONF=narenas:1", "mimalloc ignores MALLOC_CONF: it is for jemalloc"},
		{"LD_PRELOAD=/x/libmine.so MALLOC_CONF=narenas:1", ""},
		{"MALLOC_ARENA_MAX=1", ""},
		{"MALLOC_ARENA=1", ""},
		{"GLIBC_TUNABLES=glibc.malloc.perturb=1", ""},
	} {
		if got := unread(strings.Fields(c.env)); got.Dead != c.want || got.Dead != "" && got.Advice == "" {
			t.Errorf("%s: %+v, want %q", c.env, got, c.want)
		}
	}
}

func TestReadByNobody(t *testing.T) {
	f := unread([]string{"MALLOC_ARENA=1"})
	if len(f.Notes) != 1 || !strings.HasPrefix(f.Notes[0], "glibc does not read MALLOC_ARENA: ") {
		t.Errorf("%+v", f)
	}
}

func TestSaid(t *testing.T) {
	conf := []string{"LD_PRELOAD=libjemalloc.so.2", "MALLOC_CONF=narenas"}
	lines := []string{"<jemalloc>: Conf string ends with key"}
	want := "jemalloc does not take MALLOC_CONF=narenas: it says Conf string ends with key"
	if f := said(Finding{}, "libjemalloc.so.2", conf, lines); f.Dead != want {
		t.Errorf("got %+v, want %q", f, want)
	}
	f := said(Finding{}, "libother.so", nil, []string{"hello", "again"})
	if f.Dead != "" || len(f.Notes) != 1 || f.Notes[0] != "libother.so says at its start: hello (and 1 more line)" {
		t.Errorf("got %+v", f)
	}
}

func TestLockLimit(t *testing.T) {
	m := machine.Fingerprint{Limits: map[string]string{"memlock": "8388608"}}
	lock := []language.Variant{{Keys: "setting=lock", Args: []string{"-L"}}}
	plain := []plan.Case{{Name: "a"}}
	if got := LockLimit(m, lock, nil); !strings.HasPrefix(got, "RLIMIT_MEMLOCK is 8 MiB: ") {
		t.Errorf("got %q", got)
	}
	may := m
	may.MayLock = true
	free := machine.Fingerprint{Limits: map[string]string{"memlock": "unlimited"}}
	for i, got := range []string{LockLimit(may, lock, nil), LockLimit(free, lock, nil), LockLimit(m, nil, nil),
		LockLimit(m, lock, plain)} {
		if got != "" {
			t.Errorf("%d: got %q", i, got)
		}
	}
}
