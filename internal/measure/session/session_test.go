//go:build unix

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// fakeBenchmark stands for a program on Google Benchmark 1.8: it lists a benchmark, and answers in JSON
// after as many iterations as it is told.
const fakeBenchmark = `#!/bin/sh
n=1000
for a in "$@"; do
	case "$a" in
	--benchmark_list_tests=true) echo BM_Work; exit 0;;
	--benchmark_min_time=*x) n=${a#--benchmark_min_time=}; n=${n%x};;
	esac
done
echo '{"benchmarks": [{"name": "BM_Work", "run_type": "iteration", "iterations": '$n', "real_time": 900, "cpu_time": 900, "time_unit": "ns"}]}'
`

// preloaded is an allocator: that of the C library, under another name.
const preloaded = `#include <stddef.h>
extern void *__libc_malloc(size_t);
extern void __libc_free(void *);
void *malloc(size_t n) { return __libc_malloc(n); }
void free(void *p) { __libc_free(p); }
`

// sessionRounds is how many rounds the sessions of these tests have.
const sessionRounds = 8

// A sessionKind is a kind of session, by its sides.
type sessionKind struct {
	name  string
	needs func(t *testing.T) // makes files in the current folder, or skips
	begin func(ctx context.Context, t *Tools) (*Session, error)
	again string // goes on with it; "" where nothing does
}

// brief are the options that all these sessions have.
func brief(o Options) Options {
	seed := uint64(7)
	o.Seed, o.Rounds, o.Results, o.Go, o.CPU, o.NoGuards, o.Layouts = &seed, sessionRounds, "results", "local", []int{1},
		true, 1
	o.Sample, o.Budget = time.Millisecond, time.Minute
	return o
}

func begins(o Options) func(ctx context.Context, t *Tools) (*Session, error) {
	return func(ctx context.Context, t *Tools) (*Session, error) { return Begin(ctx, t, brief(o)) }
}

// sessionKinds are all kinds of sides.
func sessionKinds() []sessionKind {
	none := func(*testing.T) {}
	return []sessionKind{
		{"package", none, begins(Options{Args: []string{"."}}), "memcost run --resume "},
		{"settings of a package", none, begins(Options{Args: []string{"."}, Sides: []source.Side{{},
			{Words: []string{"GOGC=off"}, Env: []string{"GOGC=off"}}}}), "memcost compare --resume "},
		{"test binaries", goTest, begins(Options{Ready: Programs{Files: []string{"./old.test", "./new.test"}}}),
			"memcost compare --resume "},
		{"programs on Google Benchmark", script, begins(Options{Ready: Programs{Files: []string{"./old", "./new"}}}),
			"memcost compare --resume "},
		{"command lines", none, begins(Options{Ready: Lines{Args: []string{"true", "echo a"}}}), "memcost compare --resume "},
		{"allocators", library, func(ctx context.Context, t *Tools) (*Session, error) {
			return BeginAlloc(ctx, t, brief(Options{Args: []string{"ls"}, Alloc: &plan.Alloc{}}),
				[]string{"./mine.so"})
		}, "memcost alloc --resume "},
		{"shard of a plan", none, beginAttempt, ""},
	}
}

func goTest(t *testing.T) {
	for _, name := range []string{"old.test", "new.test"} {
		if out, err := exec.Command("go", "test", "-c", "-o", name, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

func script(t *testing.T) {
	for _, name := range []string{"old", "new"} {
		if err := os.WriteFile(name, []byte(fakeBenchmark), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func library(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("LD_PRELOAD is Linux's")
	}
	if err := os.WriteFile("mine.c", []byte(preloaded), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-O1", "-fPIC", "-shared", "-o", "mine.so", "mine.c").CombinedOutput(); err != nil {
		t.Skipf("no library to preload: %v: %s", err, out)
	}
}

// beginAttempt begins an attempt at a shard: a run folder with a question that another machine
// prepared.
func beginAttempt(ctx context.Context, t *Tools) (*Session, error) {
	s, err := Begin(ctx, t, brief(Options{Args: []string{"."}}))
	if err != nil {
		return s, err
	}
	q := s.Question
	s.Close()
	if err := os.RemoveAll(s.Folder.Dir); err != nil {
		return nil, err
	}
	q.Builds = nil
	q.Attempt = &plan.Attempt{Plan: "p", Machine: "m", Token: "t", Shard: 1, Shards: 1}
	folder, err := store.CreateRun("results", "here", time.Now())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(folder.WriteQuestion(q), folder.Close()); err != nil {
		return nil, err
	}
	return Resume(ctx, t, folder.Dir, q, Options{})
}

// after calls something when so many samples are taken.
type after struct {
	listener
	samples int
	do      func()
}

func (a *after) Sample(sample.Progress) {
	if a.samples--; a.samples == 0 {
		a.do()
	}
}

// killed names the kind of the session that this process begins, and is killed in.
const killed = "MEMCOST_TEST_KILLED"

func TestMain(m *testing.M) {
	if status, is := proc.LauncherMain(); is {
		os.Exit(status)
	}
	for _, k := range sessionKinds() {
		if k.name != os.Getenv(killed) {
			continue
		}
		t, err := NewTools(&after{samples: 3, do: func() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }}, nil)
		if err == nil {
			var s *Session
			if s, err = k.begin(context.Background(), t); err == nil {
				_, err = s.Measure(context.Background())
			}
		}
		fmt.Println("it was not killed:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Whatever its sides are, a session that is killed, stopped by Ctrl-C or by a full disk keeps what it
// measured, nobody else writes to its folder, and it goes on to the rounds that it was asked for with no
// sample lost or taken twice.
func TestEverySessionIsKeptAndGoneOnWith(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures each kind of sides")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range sessionKinds() {
		t.Run(k.name, func(t *testing.T) {
			module(t)
			t.Setenv("MEMCOST_LOCK", filepath.Join(t.TempDir(), "lock"))
			k.needs(t)
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), killed+"="+k.name)
			out, err := cmd.CombinedOutput()
			if status, is := cmd.ProcessState.Sys().(syscall.WaitStatus); !is || status.Signal() != syscall.SIGKILL {
				t.Fatalf("the session ended by itself: %v: %s", err, out)
			}
			dirs, err := filepath.Glob("results/*")
			if err != nil || len(dirs) != 1 {
				t.Fatalf("run folders: %q, %v", dirs, err)
			}
			dir := dirs[0]
			if n := samplesOf(t, dir); n == 0 {
				t.Fatal("no sample was kept")
			}
			torn(t, dir)
			k.interrupt(t, dir)
			if k.again == "" {
				return
			}
			k.fillDisk(t, dir)
			k.finish(t, dir)
		})
	}
}

// torn leaves the beginning of a line at the end of the samples, as a process that is killed may.
func torn(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, store.SamplesFile), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("BenchmarkTorn 100 5.0 ns")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func resumed(t *testing.T, ctx context.Context, to Progress, dir string) *Session {
	t.Helper()
	q, err := questionIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Resume(ctx, told(t, to), dir, q, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// interrupt goes on with a session, finds that nobody else can meanwhile, and stops it as Ctrl-C does.
func (k sessionKind) interrupt(t *testing.T, dir string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := resumed(t, ctx, &after{samples: 3, do: stop}, dir)
	q, err := questionIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Resume(ctx, quiet(t), dir, q, Options{})
	if _, hints := hint.Split(err); !errors.As(err, new(*store.BusyError)) || len(hints) != 1 ||
		hints[0] != "wait for it to end, or start a run of its own" {
		t.Errorf("a second session on the folder: %v, hints %q", err, hints)
	}
	before := samplesOf(t, dir)
	ending, err := s.Measure(ctx)
	s.Close()
	if err != nil || ending != sample.Interrupted {
		t.Fatalf("it ended by %q, %v", ending, err)
	}
	if n := samplesOf(t, dir); n <= before {
		t.Errorf("%d samples before, and %d after", before, n)
	}
	says, hints := hint.Split(s.Interrupted())
	if k.again == "" {
		if says != "interrupted; the complete rounds of the attempt count" || s.Question.Attempt.Ended != "interrupted" ||
			s.Question.Attempt.Whole {
			t.Errorf("%s; attempt %+v", says, s.Question.Attempt)
		}
		return
	}
	if says != "interrupted; everything measured so far is kept" || len(hints) != 1 || hints[0] != "go on with: "+k.again+dir {
		t.Errorf("%s; hints %q", says, hints)
	}
}

// fillDisk goes on with a session whose disk is full, on a file system of its own where one can be
// mounted.
func (k sessionKind) fillDisk(t *testing.T, dir string) {
	t.Helper()
	small := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "none", small).Run(); err != nil {
		return
	}
	defer exec.Command("umount", small).Run()
	if err := os.CopyFS(filepath.Join(small, "run"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(small, "run")
	before := samplesOf(t, full)
	s := resumed(t, t.Context(), &listener{}, full)
	// Nothing fits any more, but for what is left of the last page.
	filler, err := os.Create(filepath.Join(small, "filler"))
	for err == nil {
		_, err = filler.Write(make([]byte, 512))
	}
	filler.Close()
	s.Question.Plan.Options.Rounds = 10_000
	_, err = s.Measure(t.Context())
	s.Close()
	if !errors.As(err, new(*store.WriteError)) || !strings.Contains(err.Error(), "the disk is full; what was measured so "+
		"far is safe") {
		t.Fatalf("on a full disk: %v", err)
	}
	if _, hints := hint.Split(err); len(hints) == 0 || hints[0] != "go on with: "+k.again+full {
		t.Errorf("hints %q", hints)
	}
	if n := samplesOf(t, full); n < before {
		t.Errorf("%d samples before, and %d after", before, n)
	}
}

// finish goes on with a session to its end, and counts its samples.
func (k sessionKind) finish(t *testing.T, dir string) {
	t.Helper()
	s := resumed(t, t.Context(), &listener{}, dir)
	ending, err := s.Measure(t.Context())
	s.Close()
	if err != nil || ending != sample.OutOfRounds || s.Failed != nil {
		t.Fatalf("it ended by %q, %v, %v", ending, err, s.Failed)
	}
	taken := map[string]int{}
	if _, err := store.ReadSamples(dir, func(r *benchfmt.Result) error {
		if r.GetConfig(series.KeyRole) == "" {
			round, _ := r.Value(series.UnitRound)
			taken[fmt.Sprintf("%s on %s%s in round %v", r.Name, r.GetConfig(series.KeyToolchain), r.GetConfig(series.KeySide),
				round)]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	p := &s.Question.Plan
	if want := sessionRounds * len(p.Cases) * len(p.Sides); len(taken) != want {
		t.Errorf("%d samples, want %d: %v", len(taken), want, taken)
	}
	for what, n := range taken {
		if n != 1 {
			t.Errorf("%s was taken %d times", what, n)
		}
	}
}

// Where Ctrl-C comes before the first sample, nothing was measured, and nothing stays behind.
func TestInterruptedBeforeTheFirstSample(t *testing.T) {
	module(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s, err := Begin(ctx, quiet(t), brief(Options{Args: []string{"."}}))
	if s != nil {
		s.Close()
	}
	says, hints := hint.Split(err)
	if says != "interrupted before the first sample; nothing was measured yet" || len(hints) != 1 ||
		!strings.HasPrefix(hints[0], "what was built is kept") {
		t.Errorf("%s; hints %q", says, hints)
	}
	if _, err := os.Stat("results"); err == nil {
		t.Error("the folder for results stayed")
	}
}

func questionIn(dir string) (*plan.Question, error) {
	src, err := store.ReadRun(dir)
	return src.Question, err
}
