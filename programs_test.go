package memcost_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// An allocAnswer is what these tests read of an answer of memcost alloc.
type allocAnswer struct {
	Own         string `json:"own_allocator"`
	Says        string
	Rounds      int
	Allocators  []allocRow
	NotMeasured []struct{ Name, Why string } `json:"not_measured"`
}

type allocRow struct {
	Name, Says, Invalid string
	CPU                 allocFigure `json:"cpu_time"`
	Memory              allocFigure `json:"peak_rss"`
}

type allocFigure struct {
	Ratio struct{ Value *float64 }
}

// memcost alloc on two programs of the distribution: every allocator that is installed has a row,
// and one that is known to take more memory is seen to.
func TestAllocOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs programs for some seconds")
	}
	memcost := linuxMemcost(t)
	for program, largest := range map[string]string{"cc1plus": "tcmalloc", "jq": "scudo"} {
		t.Run(program, func(t *testing.T) {
			if program == "cc1plus" {
				long(t) // it takes half a second a process
			}
			a := allocOf(t, memcost, program)
			i := a.row(largest)
			if i < 0 {
				t.Skip(largest + " is not installed: scripts/setup.sh")
			}
			if r := a.Allocators[i].Memory.Ratio.Value; r == nil || *r < 1.05 {
				t.Errorf("under %s its peak RSS is not above that under glibc: %+v", largest, a.Allocators[i])
			}
		})
	}
}

// The other four.
func TestAllocOfMorePrograms(t *testing.T) {
	long(t)
	memcost := linuxMemcost(t)
	for program, row := range map[string]string{"sqlite3": "glibc", "git": "glibc M_TRIM_THRESHOLD=0",
		"python3": "glibc", "redis": "glibc"} {
		t.Run(program, func(t *testing.T) {
			if a := allocOf(t, memcost, program); a.row(row) < 0 {
				t.Errorf("no row of %s; its own allocator is %s", row, a.Own)
			}
		})
	}
}

// A program under its own allocator three times, by different names: no more than 5% false alarms.
func TestAllocOfOneAgainstItself(t *testing.T) {
	long(t)
	out := benchAlloc(t, linuxMemcost(t), t.TempDir(), "--small", "--budget", "10s", "--aa", "10", "sqlite3")
	if !strings.Contains(out, " of 60 verdicts on a program against itself are false alarms") {
		t.Errorf("10 times 2 copies times 3 figures are 60 verdicts:\n%s", out)
	}
}

func (a *allocAnswer) row(name string) int {
	return slices.IndexFunc(a.Allocators, func(r allocRow) bool { return r.Name == name })
}

// allocOf runs a program under all allocators, and checks what holds of each.
func allocOf(t *testing.T, memcost, program string) *allocAnswer {
	t.Helper()
	dir := t.TempDir()
	out := benchAlloc(t, memcost, dir, "--small", "--rounds", "4", program)
	data, err := os.ReadFile(filepath.Join(dir, program+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var a allocAnswer
	if err := json.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	if a.Rounds != 4 || a.Says == "" {
		t.Errorf("%s: %d rounds, and it says %q", program, a.Rounds, a.Says)
	}
	for i, r := range a.Allocators {
		if !strings.Contains(out, "| "+program+" | "+r.Name+" |") {
			t.Errorf("%s: no row of %s in\n%s", program, r.Name, out)
		}
		if i > 0 && (r.Invalid != "" || r.CPU.Ratio.Value == nil) {
			t.Errorf("%s under %s: no ratio: %+v", program, r.Name, r)
		}
	}
	for _, n := range a.NotMeasured {
		t.Errorf("%s: %s was not measured: %s", program, n.Name, n.Why)
	}
	for _, name := range installed(t, memcost) {
		if a.row(name) < 0 {
			t.Errorf("%s: %s is installed and has no row: %+v", program, name, a.Allocators)
		}
	}
	return &a
}

// installed returns the allocators that can be loaded here, as the command completes them.
func installed(t *testing.T, memcost string) (names []string) {
	t.Helper()
	for line := range strings.Lines(command(t, nil, memcost, "__complete", "alloc", "--with", "")) {
		if name, _, is := strings.Cut(line, "\t"); is {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Skip("no allocator is installed: scripts/setup.sh")
	}
	return names
}

func benchAlloc(t *testing.T, memcost, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("scripts/bench-alloc.sh", append([]string{"--no-install", "--out", dir}, args...)...)
	cmd.Env = append(os.Environ(), "MEMCOST="+memcost)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skip(strings.TrimSpace(stderr.String())) // it is missing, and it says so
	}
	if err != nil {
		t.Fatalf("scripts/bench-alloc.sh %s: %v\n%s\n%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

func linuxMemcost(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("memcost alloc is for Linux")
	}
	return builtMemcost(t)
}
