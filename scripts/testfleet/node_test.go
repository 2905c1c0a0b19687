package testfleet

import (
	"crypto/md5"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

func text(n int) string { return strconv.Itoa(n) }

// A node is a machine in namespaces of its own: its processes, its host name, its machine-id and its
// lock are its own; its processors, its network and most of its files are those of this machine.
type node struct {
	name string
	cmd  *exec.Cmd
}

// startNode starts a node that runs a command for as long as it is up. more are mounts of its own.
func (s *site) startNode(t *testing.T, name, more, service string) *node {
	t.Helper()
	id := filepath.Join(s.dir, name+".machine-id")
	if err := os.WriteFile(id, fmt.Appendf(nil, "%x\n", md5.Sum([]byte(name))), 0o666); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`mount -t proc proc /proc && hostname %s && mount --bind %s /etc/machine-id &&
mount -t tmpfs -o mode=1777 lock /run/lock && { %s
true; } && { %s; sleep 100000; }`, name, id, more, service)
	log, err := os.Create(filepath.Join(s.dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	n := &node{name, exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "sh", "-c", script)}
	n.cmd.Stdout, n.cmd.Stderr, n.cmd.Dir = log, log, s.dir
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.kill)
	return n
}

// kill ends all processes of a node at once, as when its power fails.
func (n *node) kill() {
	if n.cmd.Process != nil && n.cmd.ProcessState == nil {
		n.cmd.Process.Kill()
		n.cmd.Wait()
	}
}

// killDaemons kills Slurm's processes on a node, and lets the task go on.
func (n *node) killDaemons(t *testing.T, s *site) {
	t.Helper()
	children := s.must(t, "pgrep", "-P", text(n.cmd.Process.Pid))
	var pid int
	if _, err := fmt.Sscan(children, &pid); err != nil {
		t.Fatalf("the first process of %s: %v", n.name, err)
	}
	s.must(t, "nsenter", "-t", text(pid), "-p", "-m", "pkill", "-KILL", "^slurm")
}
