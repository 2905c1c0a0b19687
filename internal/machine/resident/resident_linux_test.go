package resident

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What is read of this process is what it has.
func TestOwnProcess(t *testing.T) {
	p, pid := Proc(""), os.Getpid()
	o, err := p.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	before, _ := o.Resident()
	block := make([]byte, 64<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	after, ok := o.Resident()
	if grown := after - before; !ok || grown < 60<<20 || grown > 80<<20 {
		t.Errorf("64 MiB were touched, and statm grew by %d bytes", grown)
	}
	sum, err := p.Rollup(pid)
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.read(pid, "smaps")
	if err != nil {
		t.Fatal(err)
	}
	each, err := sizesOf(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{sum.Resident, each.Resident} {
		if d := float64(n-after) / float64(after); d > 0.05 || d < -0.05 {
			t.Errorf("statm says %d bytes, and smaps %d", after, n)
		}
	}
	s, err := p.Status(pid)
	if err != nil || s.Peak < after-4<<20 || s.Threads < 1 || s.Parent != os.Getppid() || s.UID != os.Getuid() {
		t.Errorf("%+v, %v", s, err)
	}
	if !o.Waits() {
		t.Error("this process runs, and does not want to")
	}
	for i := range block {
		block[i]++
	}
	if cpu, ok := CPUTime(pid); !ok || cpu <= 0 {
		t.Errorf("CPU time %v, %v", cpu, ok)
	}
	from := Now()
	SleepUntil(from + int64(2*time.Millisecond))
	if took := Now() - from; took < int64(2*time.Millisecond) {
		t.Errorf("2 ms took %d ns", took)
	}
}

func TestTree(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 60 & sleep 60 & echo started; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = out.Read(make([]byte, 1))
	p := Proc("")
	o, err := p.Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	found := p.search(cmd.Process.Pid)
	if len(found) != 2 {
		t.Errorf("a shell with two children has %v", found)
	}
	for range 2 {
		if got, ok := o.Children(); !ok || !slices.Equal(got, found) {
			t.Errorf("searched %v, listed %v", found, got)
		}
	}
	if o.Waits() {
		t.Error("a shell that waits for others would run")
	}
	for _, pid := range append(found, cmd.Process.Pid) {
		child, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		_ = child.Kill()
	}
	_ = cmd.Wait()
	if n, ok := o.Resident(); ok && n > 0 {
		t.Errorf("a process that has ended has %d bytes resident", n)
	}
	o.Close()
	if _, err := p.Status(cmd.Process.Pid); !errors.Is(err, ErrGone) {
		t.Errorf("of a process that has ended: %v", err)
	}
}

func TestKills(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "vmstat"), []byte("pgfault 1\noom_kill 7\nx 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, ok := Proc(dir).Kills(); n != 7 || !ok {
		t.Errorf("%d %v", n, ok)
	}
	if _, ok := Proc(filepath.Join(dir, "none")).Kills(); ok {
		t.Error("kills of a kernel that counts none")
	}
}
