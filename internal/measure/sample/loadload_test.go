package sample

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/machine"
)

// parentVar makes the test binary a program that starts a load and does not end by itself.
const parentVar = "LOAD_TEST_PARENT"

func TestMain(m *testing.M) {
	if status, is := Main(); is {
		os.Exit(status)
	}
	if os.Getenv(parentVar) != "" {
		parent()
	}
	os.Exit(m.Run())
}

// working fails unless the load's CPU time grows by a tenth of a second while it runs.
func working(t *testing.T, l *Load) {
	t.Helper()
	begin := l.CPU()
	for end := time.Now().Add(time.Minute); l.CPU() < begin+100*time.Millisecond; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the load used %v of CPU time, then %v", begin, l.CPU())
		}
	}
}

func TestLoadWorksUntilItIsStopped(t *testing.T) {
	for _, kind := range []Kind{CPU, Memory} {
		t.Run(kind.String(), func(t *testing.T) {
			l, err := Start(t.Context(), kind, 2)
			if err != nil {
				t.Fatal(err)
			}
			working(t, l)
			before := l.CPU()
			if err := l.Stop(); err != nil {
				t.Error(err)
			}
			after := l.CPU()
			if after < before {
				t.Errorf("%v of CPU time before the end, %v after it", before, after)
			}
			for _, h := range l.hogs {
				select {
				case <-h.ended:
				default:
					t.Error("a process has not ended")
				}
			}
			if again := l.CPU(); again != after {
				t.Errorf("after its end it used %v, then %v", after, again)
			}
		})
	}
}

// What the load says that it used is what the machine was busy with: on a machine with
// other work it is less, never more.
func TestCPUIsTheMachinesTime(t *testing.T) {
	s, err := machine.NewSampler("")
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	before, err := s.Snapshot()
	if err != nil || before.Busy != before.Busy {
		t.Skip("this system does not count busy time")
	}
	l, err := Start(t.Context(), CPU, 1)
	if err != nil {
		t.Fatal(err)
	}
	working(t, l)
	l.Stop()
	after, _ := s.Snapshot()
	busy, ours := before.Until(after).Busy, l.CPU().Seconds()
	ticks := 0.02 * float64(runtime.NumCPU())
	if ours < 0.1 || ours > busy+ticks {
		t.Errorf("the load says %v s, and all processes together used %v s", ours, busy)
	}
}

func TestNoLoad(t *testing.T) {
	l, err := Start(t.Context(), CPU, 0)
	if err != nil || l.CPU() != 0 || l.Stop() != nil {
		t.Errorf("%v, %v", l, err)
	}
	for _, n := range []int{-1, most + 1} {
		if l, err := Start(t.Context(), CPU, n); err == nil {
			l.Stop()
			t.Errorf("%d processes were started", n)
		}
	}
}

// A load that ended by itself must not pass for one that was there all the time.
func TestLoadThatDied(t *testing.T) {
	l, err := Start(t.Context(), CPU, 2)
	if err != nil {
		t.Fatal(err)
	}
	l.hogs[0].input.Close()
	<-l.hogs[0].ended
	if err := l.Stop(); err == nil || !strings.Contains(err.Error(), "ended before it was stopped") {
		t.Errorf("Stop says %v", err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l, err := Start(ctx, CPU, 1)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-l.hogs[0].ended
	if err := l.Stop(); err != nil {
		t.Error(err)
	}
	if l, err := Start(ctx, CPU, 1); err == nil {
		l.Stop()
		t.Error("it was started with a context that had ended")
	}
}

// parent starts a load, says so, and waits for ever.
func parent() {
	if _, err := Start(context.Background(), CPU, 2); err != nil {
		panic(err)
	}
	os.Stdout.Close()
	select {}
}

// A program that does not call Main gets an error, not itself again and again.
func TestWithoutMain(t *testing.T) {
	t.Setenv(entryVar, "1")
	if l, err := Start(t.Context(), CPU, 1); err == nil || !strings.Contains(err.Error(), "load.Main") {
		l.Stop()
		t.Errorf("it says %v", err)
	}
}

func TestMainIsForLoadsOnly(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-test.run=^$"}, {"-test.run=^$", entryArg}} {
		cmd := exec.Command(self, args...)
		cmd.Env = append(os.Environ(), entryVar+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%v with %s set: %v\n%s", args, entryVar, err, out)
		}
	}
	cmd := exec.Command(self, entryArg, "bananas")
	cmd.Env = append(os.Environ(), entryVar+"=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), `"bananas"`) {
		t.Errorf("bananas: %v\n%s", err, out)
	}
}

func TestBufferSize(t *testing.T) {
	const mib, gib = int64(1) << 20, int64(1) << 30
	fp := func(cache, free, group int64) machine.Fingerprint {
		caches := []machine.Cache{{Level: 1, Bytes: 32 << 10}, {Level: 3, Bytes: cache / 2}, {Level: 3, Bytes: cache},
			{Level: 2, Bytes: gib}}
		return machine.Fingerprint{MemoryAvailableBytes: free, CgroupMemoryBytes: group, Caches: caches}
	}
	for _, tt := range []struct {
		fp   machine.Fingerprint
		n    int
		want int64 // 0: refused
	}{
		{fp(32*mib, 16*gib, 0), 1, 64 * mib},
		{fp(8*mib, 16*gib, 0), 1, 64 * mib},
		{fp(96*mib, 16*gib, 0), 2, 192 * mib},
		{fp(504*mib, 64*gib, 0), 1, 630 * mib},
		{machine.Fingerprint{}, 1, 256 * mib},
		{fp(32*mib, 200*mib, 0), 1, 50 * mib},
		{fp(32*mib, 150*mib, 0), 1, 0},
		{fp(32*mib, 16*gib, 150*mib), 1, 0},
		{fp(32*mib, 1*gib, 0), 8, 0},
		{machine.Fingerprint{MemoryAvailableBytes: 128 * mib}, 1, 0},
	} {
		got, err := sizeFor(tt.fp, tt.n)
		if int64(got) != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("%d processes, cache %d MiB, %d MiB free: %d MiB, want %d; %v", tt.n, lastLevel(tt.fp)/mib,
				tt.fp.MemoryAvailableBytes/mib, int64(got)/mib, tt.want/mib, err)
		}
		if err != nil {
			if text, hints := hint.Split(err); len(hints) == 0 {
				t.Errorf("without a hint: %s", text)
			}
		}
	}
}
