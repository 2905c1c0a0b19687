package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/fleet"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/session"
)

// partFlags say which part of a plan memcost run measures.
type partFlags struct {
	plan   string // file
	number *int
	to     string
	job    string // of memcost submit
}

func (f *partFlags) flags(o *session.Options) flags {
	return flags{
		{name: "plan", takes: word(&f.plan), eg: "plan.json --shard 1/4", not: "resume dry-run gate", help: "measure the " +
			"plan in `FILE`, which memcost plan wrote, or with --shard i/n a shard of it"},
		{name: "shard", takes: taking{"string", "", func(s string) (err error) {
			o.Shard, o.Shards, err = readShard(s)
			return err
		}}, eg: "3/8", help: "take only part `i/n` of the comparisons: 3/8 is the third of eight"},
		{name: "attempt", needs: "plan", takes: take(&f.number, "int", readAttempt), eg: "0", help: "the `number` of this " +
			"attempt at the shard", more: "default: the next that is free on this machine"},
		{name: "to", needs: "plan", takes: checked(&f.to, checkPlace), help: "copy what was measured to `PLACE`, where shards meet: a " +
			"folder, or s3://BUCKET/PREFIX"},
		{name: "job", needs: "plan", takes: word(&f.job), help: "the `task` of memcost submit that begins it, for memcost " +
			"status"},
	}
}

// readShard reads "3/8".
func readShard(s string) (i, n int, err error) {
	a, b, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)
	switch {
	case !ok || errI != nil || errN != nil || i < 1 || n < 1:
		return 0, 0, errors.New("not a part i/n")
	case i > n:
		return 0, 0, hint.New(fmt.Sprintf("--shard %d/%d is part %d of %d", n, i, n, i),
			"there is no part %d of %d", i, n)
	}
	return i, n, nil
}

// checkPlace refuses a place without a name: what an unset variable leaves of --to "$PLACE" would copy to nowhere.
func checkPlace(place string) error {
	if strings.TrimSpace(place) == "" {
		return hint.New("--to /mnt/shared, or --to s3://BUCKET/PREFIX; without --to nothing is copied", "it names no place")
	}
	return nil
}

func readAttempt(s string) (*int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return nil, errors.New("attempts are counted from 0 on")
	}
	return &n, nil
}

// begin begins the attempt.
func (f *partFlags) begin(ctx context.Context, a *App, t *session.Tools, of *session.Options) (_ *fleet.Shard,
	err error) {
	o := fleet.Options{Origin: a.Origin(), Shard: max(of.Shard, 1), Shards: max(of.Shards, 1), Results: of.Results,
		Job: f.job, File: f.plan, Number: f.number, Note: t.Log.Note}
	if o.Plan, err = fleet.ReadFile(ctx, f.plan); err != nil {
		return nil, err
	}
	if f.to != "" {
		if o.To, err = place.Open(ctx, f.to, true); err != nil {
			return nil, err
		}
	}
	return fleet.Begin(ctx, t, o)
}

// runPart measures a shard of a plan, copies it to where shards meet, and prints its answer.
func runPart(cmd *cobra.Command, a *App, f *runFlags, args []string) error {
	if len(args) > 0 {
		return hint.Usage("leave them out: memcost run --plan "+f.part.plan,
			"the plan says what is measured, and there are arguments: %q", args)
	}
	if err := measures(cmd, "the plan says that", "leave it out, or make another plan: memcost plan --help", "plan",
		"shard", "attempt", "to", "job", "results"); err != nil {
		return err
	}
	var shard *fleet.Shard
	return a.measure(cmd.Context(), measurement{flags: &f.commonFlags, waits: true,
		begin: func(ctx context.Context, t *session.Tools) (_ *session.Session, err error) {
			shard, err = f.part.begin(ctx, a, t, &f.Options)
			if shard == nil {
				return nil, err
			}
			return shard.Session, err
		},
		show: func(s *session.Session) (string, error) {
			if err := sendPart(cmd.Context(), shard); err != nil {
				return "", hint.With("it is kept in "+s.Folder.Dir+", and sent before the next attempt at the plan here",
					err)
			}
			ans, err := f.showRun(a, s.Folder.Dir, true)
			if err != nil {
				return "", err
			}
			return "", broken(ans, s.Broken)
		}})
}

// sendTime is how long an attempt that was interrupted may take to be copied.
const sendTime = 2 * time.Minute

// sendPart copies an attempt, also when it was interrupted.
func sendPart(ctx context.Context, s *fleet.Shard) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	return s.Send(ctx)
}
