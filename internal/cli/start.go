package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/fleet/jobs"
)

// grace is between the signals that end parallel.
const grace = 5 * time.Second

// start brings the plan to the place, and starts what is to be started.
func (s *submission) start(ctx context.Context) error {
	if err := fleet.Bring(ctx, s.to, s.plan); err != nil {
		return err
	}
	if len(s.out.commands) == 0 {
		fmt.Fprintf(s.app.Stderr, "the plan is in the place: %s\n", s.job.PlanInPlace())
		return s.printed(ctx)
	}
	if err := s.write(); err != nil {
		return err
	}
	if s.scheduler() == onSSH {
		return s.startSSH(ctx, s.out.commands[0])
	}
	if err := s.record(ctx, true); err != nil {
		return err
	}
	for _, c := range s.out.commands {
		id, err := s.sbatch(ctx, c)
		if err != nil {
			return err
		}
		s.out.Jobs = append(s.out.Jobs, fleet.Job{ID: id, Kind: c.Kind, Tasks: c.Tasks})
		if err := s.record(ctx, false); err != nil {
			return err
		}
	}
	return nil
}

// printed records a manifest, whose Jobs somebody gives to the cluster. The commands of a shell are
// nobody's submission.
func (s *submission) printed(ctx context.Context) error {
	if s.scheduler() != onKubernetes {
		return nil
	}
	kinds, tasks := s.job.KindNames()
	for _, kind := range kinds {
		s.out.Jobs = append(s.out.Jobs, fleet.Job{ID: s.job.JobName(kind), Kind: kind, Tasks: tasks})
	}
	return s.record(ctx, true)
}

// sbatch submits an array, and returns the id of the job.
func (s *submission) sbatch(ctx context.Context, c jobs.Command) (string, error) {
	res, err := s.runner.Run(ctx, proc.Cmd{Path: c.Program, Args: c.Args, Dir: s.job.Dir})
	if err != nil {
		return "", fmt.Errorf("submitting the tasks of kind %s to Slurm: %w", c.Kind, err)
	}
	if err := res.Err("submitting the tasks of kind " + c.Kind + " to Slurm"); err != nil {
		return "", hint.With("sinfo -o '%n %f %T' lists nodes, their features and whether they are up; memcost "+
			"status "+s.job.To+" says what was submitted before", err)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(res.Stdout)), ";") // with several clusters: ID;CLUSTER
	return id, nil
}

// startSSH runs the plan on all boards, and waits for them.
func (s *submission) startSSH(ctx context.Context, c jobs.Command) error {
	s.out.Jobs = []fleet.Job{{Tasks: c.Tasks}}
	if err := s.record(ctx, true); err != nil {
		return err
	}
	said := func(r io.Reader) { io.Copy(s.app.Stderr, r) }
	res, err := s.runner.Run(ctx, proc.Cmd{Path: c.Program, Args: c.Args, Dir: s.job.Dir, Grace: grace,
		ReadStdout: said, ReadStderr: said})
	if ctx.Err() != nil {
		return hint.With("memcost status "+s.job.To+" says how far they are",
			errors.New("interrupted; boards that have begun go on with the shard that they measure"))
	}
	if err != nil {
		return fmt.Errorf("running the plan on the boards: %w", err)
	}
	if n := res.ExitCode; n != 0 { // of parallel it is how many failed, up to 100
		return hint.With("the last line of each is above; the whole is in memcost-jobs/"+s.plan.Hash+" on the board",
			fmt.Errorf("%s of %d did not measure all shards", units.Plural(n, "board"), c.Tasks))
	}
	return nil
}
