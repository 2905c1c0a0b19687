package jobs

import (
	"fmt"
	"path"
	"strings"
	"time"

	"memcost/internal/base/units"
)

// warned is how long before its time limit Slurm sends SIGTERM: time for the attempt to be copied.
const warned = 2 * time.Minute

// Slurm returns the scripts of a submission, one array of tasks for each kind, and the commands that
// submit them.
func (s *Submission) Slurm() (files []File, commands []Command) {
	for _, kind := range s.KindNames() {
		f := File{Name: named(kind) + ".sbatch", Text: s.array(kind)}
		files = append(files, f)
		args := append([]string{"--parsable"}, s.Options...)
		commands = append(commands, Command{"sbatch", append(args, path.Join(s.Dir, f.Name)), kind, s.Tasks()})
	}
	return files, commands
}

// array is the script of a kind's tasks. memcost takes the place of the shell, so that whatever Slurm
// signals reaches it. A task that goes on after its node was given up writes to files of its own: an
// attempt has its own run folder, its own folder in the place, and its own log.
func (s *Submission) array(kind string) string {
	var b strings.Builder
	option := func(format string, args ...any) { fmt.Fprintf(&b, "#SBATCH --"+format+"\n", args...) }
	b.WriteString("#!/bin/sh\n")
	option("job-name=memcost-%s-%s", s.Plan, named(kind))
	option("array=0-%d", s.Tasks()-1)
	if kind != "" {
		option("constraint=%s", kind)
	}
	option("nodes=1")
	option("exclusive")
	option("requeue")
	option("signal=B:TERM@%d", int(warned.Seconds()))
	option("time=%d", minutes(s.Limit+warned))
	option("open-mode=append")
	option("output=%s", path.Join(s.Dir, "logs", named(kind)+"-%a.log"))
	fmt.Fprintf(&b, `
set -eu
shard=$((SLURM_ARRAY_TASK_ID %% %d + 1))
attempt=$((%d + SLURM_ARRAY_TASK_ID / %d * %d + ${SLURM_RESTART_COUNT:-0}))
log=%s-$SLURM_ARRAY_TASK_ID-$attempt.log
exec %s --shard $shard/%d --attempt $attempt --job %s/$SLURM_ARRAY_TASK_ID >>"$log" 2>&1
`, s.Shards, s.Number*submissionStep, s.Shards, replicaStep, units.ShellWord(path.Join(s.Dir, "logs", named(kind))),
		units.ShellWord(path.Join(s.Dir, StartFile)), s.Shards, taskPrefix(s.Number, kind))
	return b.String()
}

func minutes(d time.Duration) int { return int((d + time.Minute - 1) / time.Minute) }
