package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"memcost/internal/base/hint"
	"memcost/internal/fleet"
	"memcost/internal/fleet/jobs"
	"memcost/internal/fleet/place"
)

// prepare reads the plan, and finds out whether it can be submitted. Nothing is written before all of
// that is known.
func (s *submission) prepare(ctx context.Context) error {
	var err error
	if s.plan, err = ReadPlan(ctx, s.submitFlags.plan); err != nil {
		return err
	}
	if n := len(s.plan.Kinds[0].Question.Plan.Groups()); s.shards > n {
		return hint.Usage(fmt.Sprintf("--shards %d at most", n),
			"--shards %d: the plan has %d comparisons, and none is split", s.shards, n)
	}
	s.job = &jobs.Submission{Plan: s.plan.Hash, Shards: s.shards, Kinds: s.kinds, Replicas: s.replicas,
		To: s.submitFlags.to, Folder: !place.IsURL(s.submitFlags.to), Results: s.results, Image: s.image, Options: s.options}
	if err := s.job.Check(); err != nil {
		return err
	}
	if s.job.Limit, err = fleet.Limit(s.plan, s.shards); err != nil {
		return err
	}
	if s.scheduler() != onShell {
		if s.programs, err = programs(s.plan, s.binaries); err != nil {
			return err
		}
		s.job.Programs = shipped(s.programs)
	}
	if s.job.Folder {
		if s.job.To, err = filepath.Abs(s.submitFlags.to); err != nil {
			return fmt.Errorf("finding the place %s: %w", s.submitFlags.to, err)
		}
	}
	if !s.dryRun {
		if err := s.installed(ctx); err != nil {
			return err
		}
	}
	return s.number(ctx)
}
