package mallocprofile

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
)

// built holds what all tests share: the library, and the program that they run.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "mallocprofile"); err != nil {
		return "", err
	}
	library, err := Build(context.Background(), &toolchain.Builder{Runner: &proc.Runner{}, CacheDir: dir})
	if err != nil {
		return dir, err
	}
	return dir, os.Symlink(library, filepath.Join(dir, "library.so"))
})

func TestMain(m *testing.M) {
	status := m.Run()
	if dir, _ := built(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(status) // the tests' own end
}

// compiled compiles a program of testdata.
func compiled(t testing.TB, name string, flags ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the library is for Linux")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no cc")
	}
	to := filepath.Join(t.TempDir(), name)
	args := append([]string{"-O1", "-fno-builtin", "-o", to, filepath.Join("testdata", name+".c"), "-lpthread", "-ldl"},
		flags...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return to
}

// builtLibrary is its file.
func builtLibrary(t testing.TB) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "library.so")
}

// counted runs a program with the library, and returns how it ended and what was counted.
func counted(t testing.TB, program string, args ...string) (proc.Result, Processes) {
	t.Helper()
	to := t.TempDir()
	res, err := new(proc.Runner).Run(context.Background(), proc.Cmd{Path: program, Args: args,
		Env: Environment(os.Environ(), builtLibrary(t), to)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadFolder(to)
	if err != nil {
		t.Fatal(err)
	}
	return res, got
}

// mode runs a mode of calls.c, which must make one process.
func mode(t testing.TB, program, mode string, more ...string) *Profile {
	t.Helper()
	res, got := counted(t, program, append([]string{mode}, more...)...)
	if err := res.Err(mode); err != nil {
		t.Fatal(err)
	}
	if len(got.Profiles) != 1 {
		t.Fatalf("%s: %d processes, want 1", mode, len(got.Profiles))
	}
	return got.Profiles[0]
}

// of returns the calls for blocks of a size, and of those in its class.
func of(p *Profile, size uint64) uint64 {
	for _, s := range p.Sizes {
		if s.From <= size && size < s.To {
			return s.Calls
		}
	}
	return 0
}

func TestCountsAreExact(t *testing.T) {
	program := compiled(t, "calls")
	base := mode(t, program, "")
	if of(base, 19) == 0 {
		t.Error("a call in a constructor is not counted")
	}
	p := mode(t, program, "kinds")
	for name, want := range map[string]uint64{"malloc": 1000, "calloc": 500, "realloc": 40, "reallocarray": 60,
		"aligned_alloc": 30, "posix_memalign": 20, "memalign": 10, "valloc": 6,
		"free": 1000 + 500 + 1 + 60 + 30 + 20 + 10 + 6 + 7} {
		if got := p.Calls[name] - base.Calls[name]; got != want {
			t.Errorf("%s: %d calls, want %d", name, got, want)
		}
	}
	if got := p.FreesNull - base.FreesNull; got != 7 {
		t.Errorf("free(NULL): %d calls, want 7", got)
	}
	want := uint64(1000*100 + 500*200 + 1000*40*41/2 + 60*150 + 30*640 + 20*100 + 10*300 + 6*10)
	if got := p.Bytes - base.Bytes; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if got := of(p, 640) - of(base, 640); got != 30 {
		t.Errorf("%d blocks of 640 bytes, want 30", got)
	}
	if p.Threads.Started != 1 || p.Threads.Busiest != 1 {
		t.Errorf("threads: %+v", p.Threads)
	}
}

func TestTenMillionCalls(t *testing.T) {
	program := compiled(t, "calls")
	base, p := mode(t, program, ""), mode(t, program, "million")
	if got := p.Calls["malloc"] - base.Calls["malloc"]; got != 10_000_000 {
		t.Errorf("malloc: %d calls", got)
	}
	if got := p.Calls["free"] - base.Calls["free"]; got != 10_000_000 {
		t.Errorf("free: %d calls", got)
	}
	if got := p.Bytes - base.Bytes; got != 240_000_000 {
		t.Errorf("%d bytes", got)
	}
	if p.Samples < 10_000 || p.Samples > 40_000 || p.Dropped != 0 {
		t.Errorf("%d samples, %d dropped", p.Samples, p.Dropped)
	}
	// The blocks that the samples stand for are those that were counted.
	if got := p.Groups[0].Blocks(); math.Abs(got/float64(p.Allocations())-1) > 0.03 {
		t.Errorf("the samples stand for %.0f of %d blocks", got, p.Allocations())
	}
}

func TestThreads(t *testing.T) {
	program := compiled(t, "calls")
	base, p := mode(t, program, ""), mode(t, program, "threads")
	if got := p.Calls["malloc"] - base.Calls["malloc"]; got != 820_000 {
		t.Errorf("malloc: %d calls, want 820000", got)
	}
	if p.Threads.Started != 29 || p.Threads.AtOnce > 21 || p.Threads.AtOnce < 2 || p.Threads.Uncounted != 0 {
		t.Errorf("threads: %+v", p.Threads)
	}
	if p.Foreign.Value > 0.01 {
		t.Errorf("freed by another thread: %+v", p.Foreign)
	}
}

func TestThreadsThatEnd(t *testing.T) {
	program := compiled(t, "calls")
	p := mode(t, program, "endings")
	if got := of(p, 77); got != 200*11 {
		t.Errorf("%d blocks of 77 bytes, want 2200", got)
	}
	if p.Threads.Started != 201 || p.Threads.AtOnce > 3 {
		t.Errorf("threads: %+v", p.Threads)
	}
}

func TestFreedByAnotherThread(t *testing.T) {
	p := mode(t, compiled(t, "calls"), "foreign")
	if f := p.Foreign; f.Value < 0.7 || f.Value > 0.8 || f.Lo > 0.75 || f.Hi < 0.75 {
		t.Errorf("freed by another thread: %+v, want 0.75", f)
	}
}

func TestForks(t *testing.T) {
	program := compiled(t, "calls")
	_, got := counted(t, program, "forks")
	var calls []uint64
	for _, p := range got.Profiles {
		calls = append(calls, of(p, 33))
	}
	if len(calls) != 3 && len(calls) != 4 { // the child that calls exec may have a file of its own
		t.Fatalf("calls by process: %v", calls)
	}
	if calls[0] != 3000 || calls[1] != 2000 || calls[2] != 1500 {
		t.Errorf("calls by process: %v, want 3000, 2000, 1500", calls)
	}
	if got.Profiles[2].Forks != 2 {
		t.Errorf("%d forks of the parent", got.Profiles[2].Forks)
	}
}

func TestEndingsLoseNothing(t *testing.T) {
	program := compiled(t, "calls")
	for mode, ended := range map[string]string{"segv": "SIGSEGV", "kill": "SIGKILL", "_exit": ""} {
		res, got := counted(t, program, mode)
		if res.Signal != ended || len(got.Profiles) != 1 {
			t.Fatalf("%s: signal %q, %d profiles", mode, res.Signal, len(got.Profiles))
		}
		if n := of(got.Profiles[0], 33); n != 1234 {
			t.Errorf("%s: %d calls, want 1234", mode, n)
		}
	}
}

func TestLifetimes(t *testing.T) {
	p := mode(t, compiled(t, "calls"), "ages")
	in := 0.0
	for _, a := range p.Groups[0].Ages {
		if a.From == 128 {
			in = a.Blocks.Value
		}
	}
	if share := in / p.Groups[0].Blocks(); share < 0.98 {
		t.Errorf("%.3f of the blocks lived for 128 to 255 calls", share)
	}
	if l := p.Groups[0].Living; l.Lo > 101 || l.Hi < 99 {
		t.Errorf("never freed: %+v, want 100", l)
	}
}

func TestLiveBytes(t *testing.T) {
	p := mode(t, compiled(t, "calls"), "live")
	if e := p.Peak; e.Lo > 40e6 || e.Hi < 40e6 || e.Hi-e.Lo > 8e6 || e.Hi <= e.Lo {
		t.Errorf("peak: %+v, want 40 MB", e)
	}
	if l := p.Groups[0].Living; math.Abs(l.Value/20000-1) > 0.15 {
		t.Errorf("never freed: %+v, want 20000", l)
	}
	if p.Turns != 0 {
		t.Errorf("%d turns", p.Turns)
	}
	small := mode(t, compiled(t, "calls"), "kinds") // all of its blocks are taken
	if e := small.Peak; small.Samples < 1000 || e.Value < 40000 || e.Value > 50000 {
		t.Errorf("peak of few blocks: %+v", e)
	}
}

func TestTurns(t *testing.T) {
	p := mode(t, compiled(t, "calls"), "swings")
	if p.Turns != 9 {
		t.Errorf("%d turns, want 9", p.Turns)
	}
	if p.Turned < 28<<20 || p.Turned > 36<<20 {
		t.Errorf("each by %d bytes, want 32 MiB", p.Turned)
	}
}

// A failed dlsym allocates its message: the library looks functions up itself.
func TestLookingUp(t *testing.T) { mode(t, compiled(t, "calls"), "dlsym") }

func TestNothingTaken(t *testing.T) {
	program := compiled(t, "calls", "-static", "-Wno-all")
	_, got := counted(t, program, "kinds")
	if len(got.Profiles) != 0 {
		t.Errorf("a static program has %d profiles", len(got.Profiles))
	}
	if why := WhyNot(builtLibrary(t), program); !strings.Contains(why, "statically") {
		t.Errorf("why: %q", why)
	}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if why := WhyNot(builtLibrary(t), script); !strings.Contains(why, "no program") {
		t.Errorf("why: %q", why)
	}
	if why := WhyNot(builtLibrary(t), compiled(t, "calls")); why != "" {
		t.Errorf("why not a program that can be counted: %q", why)
	}
}
