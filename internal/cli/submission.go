package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/fleet"
	"memcost/internal/fleet/jobs"
	"memcost/internal/fleet/place"
)

// A submission is what memcost submit makes and starts.
type submission struct {
	*submitFlags
	app      *App
	runner   *proc.Runner
	plan     *fleet.File
	job      *jobs.Submission
	programs []program
	to       *place.Place // nil: a dry run, and the place is not there yet
	out      Outcome
}

// number gives the submission its number, and names its folder.
func (s *submission) number(ctx context.Context) error {
	var err error
	if s.to, err = place.Open(ctx, s.job.To, !s.dryRun); err == nil {
		s.job.Number, err = fleet.NextSubmission(ctx, s.to, s.plan.Hash)
	}
	if s.dryRun && err != nil {
		if !errors.Is(err, place.ErrNone) {
			fmt.Fprintf(s.app.Stderr, "note: numbered as the first submission: %v\n", err)
		}
	} else if err != nil {
		return err
	}
	dir := fmt.Sprintf("%s-%d", s.plan.Hash, s.job.Number)
	if s.job.Dir, err = filepath.Abs(filepath.Join(s.jobs, dir)); err != nil {
		return fmt.Errorf("finding the folder %s: %w", s.jobs, err)
	}
	if strings.ContainsAny(s.job.Dir, " \t%'\"\\") && s.scheduler() == onSlurm {
		return hint.Usage("--jobs FOLDER", "--jobs %s: Slurm reads the name of the folder out of a line, and takes "+
			"neither spaces, quotes nor %%", s.job.Dir)
	}
	return nil
}

// record says in the place what is submitted, before anything is started.
func (s *submission) record(ctx context.Context, first bool) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	r := fleet.Submitted{Number: s.job.Number, On: s.scheduler(), Host: host,
		Submitted: time.Now().UTC().Truncate(time.Second), Shards: s.shards, Replicas: s.replicas, Jobs: s.out.Jobs}
	err = r.Record(ctx, s.to, s.plan.Hash, first)
	if first && fleet.IsTaken(err) {
		return hint.With("submit it once more", fmt.Errorf("somebody else submitted the plan to %s at the same moment",
			s.job.To))
	}
	return err
}
