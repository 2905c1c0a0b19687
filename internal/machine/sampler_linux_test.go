package machine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

func TestSamplerTree(t *testing.T) {
	root := captured(t, "testdata/laptop.txtar")
	if err := os.Remove(filepath.Join(root, "proc/pressure/io")); err != nil {
		t.Fatal(err)
	}
	plant(t, root, "proc/pressure/memory", "")
	s, err := NewSampler(root)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	s.Now = func() time.Time { at = at.Add(time.Second); return at }
	a, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if want := 18023.11 + 41.20 + 6002.11 + 900.11 + 402.10; !near(a.Busy, want) || !near(a.PSICPU, 812.344112) {
		t.Errorf("busy %v, PSI cpu %v; want %v, 812.344112", a.Busy, a.PSICPU, want)
	}
	if want := []string{"psi-memory", "psi-io"}; !slices.Equal(a.Missing(), want) {
		t.Errorf("missing %q, want %q", a.Missing(), want)
	}

	// The open file shows what the kernel, here the test, writes into it later.
	plant(t, root, "proc/stat", "cpu  1802411 4120 600211 40123441 12001 90011 40210 25 0 0\n")
	b, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if i := a.Until(b); i.Wall != 1 || i.Busy < 0.999 || i.Busy > 1.001 || i.Steal != 0.25 {
		t.Errorf("100 busy and 25 stolen ticks in a second: %+v", i)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Snapshot(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v, want %v", err, os.ErrClosed)
	}
	if err := s.Close(); err == nil {
		t.Error("a second Close says nothing")
	}
}

// What others did while a probe ran: half a CPU of foreign work and a tenth stolen,
// planted. This process's own CPU time, some milliseconds, is taken off the first.
func TestWatch(t *testing.T) {
	root := captured(t, "testdata/laptop.txtar")
	plant(t, root, "proc/stat", "cpu  1000 0 0 5000 0 0 0 100 0 0\n")
	s, err := NewSampler(root)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := time.Now()
	s.Now = func() time.Time { at = at.Add(100 * time.Second); return at }
	others, err := watch(s)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, root, "proc/stat", "cpu  6000 0 0 9000 0 0 0 1100 0 0\n")
	steal, foreign, err := others()
	if err != nil || steal == nil || foreign == nil {
		t.Fatalf("steal %v, foreign %v, %v", steal, foreign, err)
	}
	if *steal != 0.1 || *foreign < 0.45 || *foreign >= 0.5 {
		t.Errorf("steal share %v, foreign share %v; want 0.1, and just below 0.5", *steal, *foreign)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := others(); err == nil {
		t.Error("closed counters give no error")
	}
}

func TestSamplerNoMachine(t *testing.T) {
	if _, err := NewSampler(t.TempDir()); err == nil {
		t.Error("an empty folder was taken for a machine")
	}
}

// A machine with proc/ but none of the files has every counter missing.
func TestSamplerNoCounters(t *testing.T) {
	root := t.TempDir()
	plant(t, root, "proc/nothing", "")
	s, err := NewSampler(root)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := s.Snapshot()
	if err != nil || len(a.Missing()) != 5 {
		t.Errorf("missing %q, %v; want all five and no error", a.Missing(), err)
	}
}

// The hand-written parsers against procfs, on the live machine: counters only grow,
// so one reading lies between two of the other's. A tick is allowed for, because
// the kernel rounds each of procfs's summands down.
func TestSamplerAgreesWithProcfs(t *testing.T) {
	pfs, err := procfs.NewDefaultFS()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	read := func() (stat procfs.CPUStat, psi float64) {
		st, err := pfs.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if p, err := pfs.PSIStatsForResource("cpu"); err == nil {
			psi = float64(p.Some.Total) * 1e-6
		}
		return st.CPUTotal, psi
	}
	before, psiBefore := read()
	got, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	after, psiAfter := read()
	busy := func(c procfs.CPUStat) float64 { return c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ }
	between := func(what string, lo, v, hi float64) {
		if v < lo-tick || v > hi+tick {
			t.Errorf("%s %v is not between %v and %v", what, v, lo, hi)
		}
	}
	between("busy", busy(before), got.Busy, busy(after))
	between("steal", before.Steal, got.Steal, after.Steal)
	if !slices.Contains(got.Missing(), "psi-cpu") {
		between("PSI cpu", psiBefore, got.PSICPU, psiAfter)
	}
}

func TestSnapshotAllocatesNothing(t *testing.T) {
	s, err := NewSampler("")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := testing.AllocsPerRun(100, func() { s.Snapshot() }); n != 0 {
		t.Errorf("%v allocations per snapshot, want 0", n)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	s, err := NewSampler("")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Snapshot(); err != nil {
			b.Fatal(err)
		}
	}
}
