// Package testfleet is make test-fleet: a plan is measured by a Slurm of three nodes, by three boards
// behind ssh, and into an object store, while nodes are killed, tasks are requeued and a disk is full.
// The joined report must then be that of an unbroken run.
package testfleet

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/fleet"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// A site is what the parts of the test share.
type site struct {
	dir      string
	memcost  string // program
	planFile string
	plan     *fleet.File
	unbroken figures // of a run of the plan that nothing disturbed
}

// rounds of the plan, and its shards: the two sides of each of three sizes.
const (
	rounds = 80
	shards = 3
)

func TestFleet(t *testing.T) {
	if os.Getenv("MEMCOST_FLEET") == "" {
		t.Skip("it starts daemons and takes minutes: make test-fleet")
	}
	needPrograms(t)
	s := newSite(t)
	t.Run("Slurm", func(t *testing.T) { testSlurm(t, s) })
	t.Run("Boards", func(t *testing.T) { testBoards(t, s) })
	t.Run("FullDisk", func(t *testing.T) { testFullDisk(t, s) })
	t.Run("Bucket", func(t *testing.T) { testBucket(t, s) })
}

// needPrograms fails where scripts/setup.sh fleet could not install something, and skips where what it
// installs cannot be used.
func needPrograms(t *testing.T) {
	t.Helper()
	for _, p := range []string{"slurmctld", "slurmd", "sbatch", "parallel", "/usr/sbin/sshd", "ssh", "rsync"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Fatalf("%v: scripts/setup.sh fleet installs it", err)
		}
	}
	try := exec.Command("unshare", "--mount", "--pid", "--fork", "--uts", "sh", "-c",
		"mount -t proc proc /proc && hostname x")
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("three machines on one need private namespaces, and root: %v: %s", err, out)
	}
}

// newSite builds memcost, makes the plan, and measures it once without any disturbance.
func newSite(t *testing.T) *site {
	dir, err := os.MkdirTemp("", "fleet") // t.TempDir is too long for the sockets of slurmd
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &site{dir: dir, memcost: filepath.Join(dir, "memcost"), planFile: filepath.Join(dir, "plan.json")}
	s.must(t, "go", "build", "-o", s.memcost, "memcost/cmd/memcost")
	s.must(t, s.memcost, "plan", "stackheap", "--seed=1", "--sample=5ms", "--layouts=1", "--no-guards",
		"--rounds="+text(rounds), "-b", `Smaug/./size=(1024|4096|16384)$`, "-o", s.planFile)
	data, err := os.ReadFile(s.planFile)
	if err == nil {
		s.plan, err = fleet.Read(s.planFile, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, s.memcost, "run", "--plan", s.planFile, "--results", filepath.Join(dir, "unbroken"))
	runs, _ := filepath.Glob(filepath.Join(dir, "unbroken", "*"))
	if len(runs) != 1 {
		t.Fatalf("run folders %q", runs)
	}
	s.unbroken = readFigures(t, runs[0])
	if len(s.unbroken.samples) != 6 {
		t.Fatalf("cases of the unbroken run: %v", s.unbroken.names())
	}
	return s
}

// run runs a program in the folder of the site.
func (s *site) run(env []string, program string, args ...string) (stdout, stderr string, status int) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), env...)
	if program == "go" {
		cmd.Dir = ""
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.String(), errs.String(), exit.ExitCode()
	} else if err != nil {
		return out.String(), err.Error(), -1
	}
	return out.String(), errs.String(), 0
}

// must runs what has to succeed, and returns its output.
func (s *site) must(t *testing.T, program string, args ...string) string {
	t.Helper()
	return s.mustEnv(t, nil, program, args...)
}

func (s *site) mustEnv(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	out, errs, status := s.run(env, program, args...)
	if status != 0 {
		t.Fatalf("%s %s: status %d\n%s%s", program, strings.Join(args, " "), status, out, errs)
	}
	return out
}

// fails runs what has to fail, and say so.
func (s *site) fails(t *testing.T, env []string, says string, args ...string) {
	t.Helper()
	out, errs, status := s.run(env, s.memcost, args...)
	if status != 1 || !strings.Contains(errs, says) {
		t.Errorf("memcost %s: status %d, and nothing of %q\n%s%s", strings.Join(args, " "), status, says, out, errs)
	}
}

// patience is how long the slowest step may take: it ends a test that hangs, and asserts nothing.
const patience = 4 * time.Minute

// await waits until something is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}

// measuring returns the attempt that is under way on a machine and has a number of samples, or nil.
func measuring(results, host string, samples int) *plan.Attempt {
	dirs, _ := filepath.Glob(filepath.Join(results, "*-"+host+"*"))
	for _, dir := range dirs {
		var q plan.Question
		data, err := os.ReadFile(filepath.Join(dir, store.SamplesFile))
		if err == nil && bytes.Count(data, []byte("\nBenchmark")) >= samples && store.ReadQuestion(dir, &q) == nil &&
			q.Attempt != nil && q.Attempt.Ended == "" && store.Busy(dir) {
			return q.Attempt
		}
	}
	return nil
}
