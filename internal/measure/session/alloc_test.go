package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
)

func TestSetting(t *testing.T) {
	for text, want := range map[string]configuration{
		"M_ARENA_MAX=1": {name: "glibc M_ARENA_MAX=1", set: []string{"GLIBC_TUNABLES=glibc.malloc.arena_max=1"}},
		"M_TOP_PAD=0 GLIBC_TUNABLES=glibc.malloc.tcache_count=0": {
			name: "glibc M_TOP_PAD=0 GLIBC_TUNABLES=glibc.malloc.tcache_count=0",
			set:  []string{"GLIBC_TUNABLES=glibc.malloc.top_pad=0:glibc.malloc.tcache_count=0"}},
		"PYTHONMALLOC=malloc": {name: "PYTHONMALLOC=malloc", set: []string{"PYTHONMALLOC=malloc"}},
	} {
		got, err := setting(text)
		if err != nil || got.name != want.name || got.library != want.library || !slices.Equal(got.set, want.set) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{"nothing", "=1", "M_TOP_PAD=", "LD_PRELOAD=nowhere.so"} {
		if got, err := setting(bad); !hint.IsUsage(err) {
			t.Errorf("%q: %+v, %v; want a usage error", bad, got, err)
		}
	}
}

func TestEnv(t *testing.T) {
	c := configuration{library: "/lib/a.so", set: []string{"X=1"}}
	for before, want := range map[string]string{"": "LD_PRELOAD=/lib/a.so",
		"/lib/b.so": "LD_PRELOAD=/lib/a.so:/lib/b.so"} {
		if got := c.env(before); !slices.Equal(got, []string{want, "X=1"}) {
			t.Errorf("%q before: %q", before, got)
		}
	}
}

func TestTunables(t *testing.T) {
	known := parseTunables("glibc.rtld.nns: 0x4 (min: 0x1, max: 0x10)\nglibc.malloc.perturb: 0 (min: 0, max: 255)\n" +
		"glibc.malloc.check: 0 (min: 0, max: 3)\nnonsense\n")
	if len(known) != 3 || known[0].max != 16 || !known[1].bounded {
		t.Fatalf("%+v", known)
	}
	for value, want := range map[string]string{
		"glibc.malloc.perturb=255":                        "",
		"glibc.malloc.perturb=256":                        "the C library ignores glibc.malloc.perturb=256",
		"glibc.malloc.perturb=much":                       "the C library ignores glibc.malloc.perturb=much",
		"glibc.malloc.check=0:glibc.malloc.pertub=1":      "this C library has no tunable glibc.malloc.pertub",
		"glibc.malloc.check=0x3:glibc.malloc.perturb=0x1": "",
	} {
		err := checkTunables(known, []string{"X=1", "GLIBC_TUNABLES=" + value})
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", value, err, want)
		}
	}
	if err := checkTunables(nil, []string{"GLIBC_TUNABLES=a=b"}); err != nil {
		t.Errorf("of a C library that tells no tunables: %v", err)
	}
}

func TestDiffers(t *testing.T) {
	own := trial{ends: "exit status 1", printed: "a", size: 3}
	for _, c := range []struct {
		t      trial
		varies bool
		want   string
	}{
		{trial{ends: "exit status 1", printed: "a"}, false, ""},
		{trial{ends: "exit status 1", printed: "b"}, true, ""},
		{trial{ends: "exit status 1", printed: "b", size: 4}, false,
			"it prints something else: 4 bytes, and under glibc 3 bytes"},
		{trial{ends: "exit status 0", printed: "a"}, false, "exit status 0, and under glibc exit status 1"},
		{trial{ends: "SIGSEGV", errors: []string{"x", "free(): bad"}}, true, "it died of SIGSEGV: free(): bad"},
		{trial{ends: "exit status 1", broken: "the load failed"}, true, "the load failed"},
	} {
		alloc := &plan.Alloc{Own: "glibc", Ends: own.ends, Varies: c.varies}
		if got := c.t.differs(own, alloc); got != c.want {
			t.Errorf("%+v: %q, want %q", c.t, got, c.want)
		}
	}
}

func TestTookNot(t *testing.T) {
	with := allocator.Process{Loaded: []string{"/lib/libc.so.6", "/lib/mine.so"}}
	without := allocator.Process{Loaded: []string{"/lib/libc.so.6"}}
	refused := "ERROR: ld.so: object '/lib/mine.so' from LD_PRELOAD cannot be preloaded (wrong ELF class): ignored."
	for _, c := range []struct {
		t      trial
		partly bool
		want   string
	}{
		{trial{processes: []allocator.Process{with}}, false, ""},
		{trial{processes: []allocator.Process{with, without}}, true,
			"it was loaded into 1 of 2 processes of the program"},
		{trial{processes: []allocator.Process{without}}, false, "it was not loaded into any process of the program"},
		{trial{processes: []allocator.Process{without}, errors: []string{refused}}, false,
			"it was not loaded: object '/lib/mine.so' from LD_PRELOAD cannot be preloaded (wrong ELF class): ignored."},
		{trial{}, false, "it was not loaded: no process of the program was started by the loader of the GNU C library"},
	} {
		if got, partly := tookNot("/lib/mine.so", c.t); got != c.want || partly != c.partly {
			t.Errorf("%+v: %q, %v; want %q", c.t, got, partly, c.want)
		}
	}
}

// What the program's file says comes before anything is tried.
func TestCannot(t *testing.T) {
	static := &allocator.File{Path: "/bin/p"}
	golang := &allocator.File{Path: "/bin/p", Pool: &allocator.Pool{Of: "Go"}}
	secure := &allocator.File{Path: "/bin/p", Interpreter: "/lib/ld.so", Secure: "it is setuid"}
	linked := &allocator.File{Path: "/bin/p", Interpreter: "/lib/ld.so", Malloc: true, Allocator: "jemalloc"}
	library := "/proc/self/exe" // any ELF file
	if _, err := allocator.Read(library); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		main *allocator.File
		want string
	}{
		{nil, ""},
		{static, "/bin/p is linked statically"},
		{golang, "this is a Go program without C code"},
		{secure, "/bin/p ignores LD_PRELOAD: it is setuid"},
		{linked, "/bin/p has jemalloc linked in as malloc"},
	} {
		got := (&program{main: c.main}).cannot(library)
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.main, got, c.want)
		}
	}
	if own := (&program{main: linked}).own(trial{}); own != "jemalloc" {
		t.Errorf("its own allocator is %s", own)
	}
	if own := (&program{main: golang}).own(trial{}); own != "Go's own allocator" {
		t.Errorf("that of a Go program is %s", own)
	}
}

func TestPoolSays(t *testing.T) {
	python := &allocator.Pool{Of: "CPython", Advice: "PYTHONMALLOC=malloc has it call malloc"}
	if got := poolSays(python, []string{"python3"}); len(got) != 1 || !strings.Contains(got[0], "PYTHONMALLOC=malloc") {
		t.Errorf("%q", got)
	}
	if got := poolSays(python, []string{"env", "PYTHONMALLOC=malloc", "python3"}); len(got) != 0 {
		t.Errorf("turned off, it is still said: %q", got)
	}
}

// How many runs there are is chosen before they begin.
func TestPairs(t *testing.T) {
	for took, want := range map[time.Duration]int{
		time.Millisecond: mostRuns, time.Second: 10, time.Minute: fewestRuns,
	} {
		if got := pairs(0, 20*time.Second, took); got != want {
			t.Errorf("of a program that takes %v: %d runs, want %d", took, got, want)
		}
	}
	if got := pairs(3, 20*time.Second, time.Hour); got != 3 {
		t.Errorf("%d runs, want 3", got)
	}
}

// Few calls promise nothing where the time is in the kernel.
func TestCallsSay(t *testing.T) {
	for _, c := range []struct {
		rate     float64
		cpu, sys time.Duration
		faults   int64
		want     string
	}{
		{1000, time.Second, 10 * time.Millisecond, 4_000_000, "little time in the kernel, no allocator can gain much"},
		{1000, time.Second, 800 * time.Millisecond, 4_000_000, "80% of its CPU time is in the kernel, with 4,000,000 page faults"},
		{5e6, time.Second, 0, 4_000_000, "it makes 5 million calls of malloc and free in a second of CPU time (memcost"},
		{1e6, time.Second, 800 * time.Millisecond, 1000, "it makes 1 million calls of malloc and free in a second of CPU time (memcost"},
	} {
		var own trial
		own.cpu, own.res.Usage.Sys, own.res.Usage.MinorFaults = c.cpu, c.sys, c.faults
		if got := callsSay(c.rate, own); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
