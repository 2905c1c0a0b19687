package testfleet

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"memcost/internal/fleet"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// slurmConf is a Slurm of three nodes on one machine, on ports of their own. It trusts everybody
// (auth/none), which only a test may, and gives up a node after ten seconds.
const slurmConf = `ClusterName=memcost
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=17900
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
MinJobAge=3600
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool.%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/%n.slurmd.log
NodeName=node1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17901 CPUs=CPUS Feature=small
NodeName=node2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17902 CPUs=CPUS Feature=small
NodeName=node3 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17903 CPUs=CPUS Feature=large
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// A slurm is the scheduler with its nodes.
type slurm struct {
	*site
	env   []string
	nodes map[string]*node
}

func startSlurm(t *testing.T, s *site) *slurm {
	t.Helper()
	c := &slurm{s, []string{"SLURM_CONF=" + s.at("slurm.conf")}, map[string]*node{}}
	cpus := strings.TrimSpace(s.must(t, "nproc"))
	conf := strings.NewReplacer("DIR", s.dir, "=CPUS", "="+cpus).Replace(slurmConf)
	if err := os.WriteFile(s.at("slurm.conf"), []byte(conf), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.at("state"), 0o777); err != nil {
		t.Fatal(err)
	}
	control := exec.Command("slurmctld", "-D", "-f", s.at("slurm.conf"))
	control.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := control.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control.Process.Kill(); control.Wait() })
	for _, name := range []string{"node1", "node2", "node3"} {
		c.up(t, name)
	}
	await(t, "three nodes are idle", func() bool {
		out, _, _ := c.run(c.env, "sinfo", "-h", "-N", "-o", "%T")
		return strings.Count(out, "idle\n") == 3
	})
	return c
}

// up starts a node.
func (c *slurm) up(t *testing.T, name string) {
	t.Helper()
	c.nodes[name] = c.startNode(t, name, "", "slurmd -D -N "+name+" -f "+c.at("slurm.conf"))
}

// taskOn returns the task that runs on a node, as ARRAY_INDEX, or "".
func (c *slurm) taskOn(name string) string {
	out, _, _ := c.run(c.env, "squeue", "-h", "-t", "R", "-w", name, "-o", "%i")
	return strings.TrimSpace(out)
}

// finish waits until no task is left. A task that is queued anew may not begin for two minutes, which
// Slurm is told to forget.
func (c *slurm) finish(t *testing.T) {
	t.Helper()
	await(t, "all tasks have ended", func() bool {
		out, _, status := c.run(c.env, "squeue", "-h", "-o", "%i %r")
		for _, line := range strings.Split(out, "\n") {
			if id, why, _ := strings.Cut(line, " "); why == "BeginTime" {
				c.run(c.env, "scontrol", "update", "jobid="+id, "starttime=now")
			}
		}
		return status == 0 && out == ""
	})
}

func testSlurm(t *testing.T, s *site) {
	c := startSlurm(t, s)
	c.refuses(t)
	submit := []string{"submit", s.planFile, "--on", "slurm", "--shards", text(shards), "--to", s.at("shared")}
	c.mustEnv(t, c.env, c.memcost, append(submit, "--kinds", "small,large")...)
	c.disturb(t)
	c.finish(t)
	status := c.status(t, c.env, s.at("shared"))
	if len(status.Submissions) != 1 || status.Submissions[0].Begun != 2*shards {
		t.Errorf("of the first submission: %+v", status.Submissions)
	}
	c.complete(t, status)

	// The shards of the small kind once more, which brings what the killed node left; an orphan on the way.
	c.mustEnv(t, c.env, c.memcost, append(submit, "--kinds", "small")...)
	c.orphan(t)
	c.finish(t)
	c.copied(t)
	c.ended(t)
	c.likeUnbroken(t, c.joined(t, s.at("shared")))
	out := c.must(t, s.memcost, "report", s.at("shared"), "--long")
	if !strings.Contains(out, "of the last rounds of attempts that were interrupted") {
		t.Errorf("the report does not say what it leaves out:\n%s", out)
	}
}

// refuses: what Slurm does not take, and a job that never begins.
func (c *slurm) refuses(t *testing.T) {
	t.Helper()
	c.fails(t, c.env, "hint: sinfo -o", "submit", c.planFile, "--on", "slurm", "--kinds", "none", "--to", c.at("none"))
	c.mustEnv(t, c.env, c.memcost, "submit", c.planFile, "--on", "slurm", "--option=--hold", "--to", c.at("held"))
	out := c.must(t, c.memcost, "status", c.at("held"))
	if !strings.Contains(out, "submitted, not begun since ") || !strings.Contains(out, "why: squeue --start -j ") {
		t.Errorf("of a job that does not begin, memcost status says:\n%s", out)
	}
	c.mustEnv(t, c.env, "scancel", "--state=PENDING", "--user=root")
}

// disturb kills a node, requeues the task of another, and cancels and requeues that of the third, each
// in the middle of an attempt.
func (c *slurm) disturb(t *testing.T) {
	t.Helper()
	results := c.at("memcost-jobs/results")
	await(t, "node1 and node2 measure", func() bool {
		return measuring(results, "node1", 10) != nil && measuring(results, "node2", 10) != nil
	})
	task := c.taskOn("node1")
	c.nodes["node2"].kill()
	c.mustEnv(t, c.env, "scontrol", "requeue", task)
	await(t, "node3 measures", func() bool { return measuring(results, "node3", 10) != nil })
	task = c.taskOn("node3")
	c.mustEnv(t, c.env, "scancel", task)
	await(t, "the cancelled task has ended", func() bool { return c.taskOn("node3") != task })
	c.mustEnv(t, c.env, "scontrol", "requeue", task)
	await(t, "node2 is given up", func() bool {
		out, _, _ := c.run(c.env, "sinfo", "-h", "-N", "-n", "node2", "-o", "%T")
		return strings.HasPrefix(out, "down")
	})
	c.up(t, "node2")
}

// orphan kills the daemons of a node and leaves its task alone, which is then begun elsewhere, too.
func (c *slurm) orphan(t *testing.T) {
	t.Helper()
	var of *plan.Attempt
	await(t, "node1 measures once more", func() bool {
		of = measuring(c.at("memcost-jobs/results"), "node1", 10)
		return of != nil
	})
	task := c.taskOn("node1")
	c.nodes["node1"].killDaemons(t, c.site)
	done := func(number int) bool {
		found, _ := filepath.Glob(filepath.Join(c.at("shared"), of.Plan, "*", of.Part(), text(number), "done.json"))
		return len(found) > 0
	}
	await(t, "the orphan and its successor are both in the place", func() bool {
		c.run(c.env, "scontrol", "update", "jobid="+task, "starttime=now")
		return done(of.Number) && done(of.Number+1)
	})
}

// complete: each kind has measured all shards, whichever node did.
func (c *slurm) complete(t *testing.T, status fleet.Status) {
	t.Helper()
	done := map[string][]int{}
	interrupted := 0
	for _, m := range status.Machines {
		kind := "small"
		if m.Host == "node3" {
			kind = "large"
		}
		done[kind] = append(done[kind], m.Done...)
		interrupted += len(m.Interrupted) + len(m.Lost) + len(m.Running)
	}
	for _, kind := range []string{"small", "large"} {
		slices.Sort(done[kind])
		if got := slices.Compact(done[kind]); len(got) != shards {
			t.Errorf("nodes of kind %s have done the shards %v of %d", kind, got, shards)
		}
	}
	t.Logf("done %v, %d shards interrupted on their first node", done, interrupted)
}

// ended: the disturbances were ones. Two attempts were interrupted by a signal, one was killed with its
// node, and all the others ended by themselves.
func (c *slurm) ended(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(c.at("shared"), c.plan.Hash, "*", "*", "*", "done.json"))
	how := map[string]int{}
	for _, f := range files {
		var done plan.Attempt
		data, err := os.ReadFile(f)
		if err = errors.Join(err, json.Unmarshal(data, &done)); err != nil {
			t.Fatal(err)
		}
		how[done.Ended]++
	}
	t.Logf("attempts by how they ended: %v", how)
	if how[string(sample.Interrupted)] != 2 || how["killed"] != 1 || how[string(sample.OutOfRounds)] != 3*shards+1 {
		t.Errorf("attempts by how they ended: %v", how)
	}
}

// copied: the attempt that died with node2 was copied by the next on that node.
func (c *slurm) copied(t *testing.T) {
	t.Helper()
	logs, _ := filepath.Glob(c.at("memcost-jobs/*/logs/*.log"))
	for _, log := range logs {
		if data, err := os.ReadFile(log); err == nil && strings.Contains(string(data), "which had not been sent") {
			return
		}
	}
	t.Errorf("no attempt brought what the killed node had measured: %q", logs)
}
