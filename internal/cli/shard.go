package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memcost/internal/base/hint"
	"memcost/internal/fleet"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/session"
)

// A Part is which part of a plan memcost run measures: its flags as they were given.
type Part struct {
	Plan    string // file
	number  int
	to      string
	job     string // of memcost submit
	Results string // the folder of run folders
}

// Register adds the flags.
func (f *Part) Register(fl *pflag.FlagSet) {
	fl.StringVar(&f.Plan, "plan", "", "measure the plan in `FILE`, which memcost plan wrote, or with --shard i/n a "+
		"shard of it")
	fl.IntVar(&f.number, "attempt", 0, "the `number` of this attempt at the shard (with --plan; default: the next "+
		"that is free on this machine)")
	fl.StringVar(&f.to, "to", "", "copy what was measured to `PLACE`, where shards meet: a folder, or "+
		"s3://BUCKET/PREFIX (with --plan)")
	fl.StringVar(&f.job, "job", "", "the `task` of memcost submit that begins it, for memcost status (with --plan)")
}

// besides are the flags of memcost run that may stand beside --plan: the plan says the others.
var besides = []string{"plan", "shard", "attempt", "to", "job", "results", "verbose", "json", "long", "open"}

// Check refuses flags that contradict each other.
func (f *Part) Check(cmd *cobra.Command, args []string) error {
	given := Changed(cmd)
	if f.Plan == "" {
		for _, flag := range []string{"attempt", "to", "job"} {
			if given(flag) {
				return hint.Usage("memcost run --plan plan.json --shard 1/4 --"+flag+" …", "--%s needs --plan", flag)
			}
		}
		return nil
	}
	if len(args) > 0 {
		return hint.Usage("leave them out: memcost run --plan "+f.Plan,
			"the plan says what is measured, and there are arguments: %q", args)
	}
	if given("attempt") && f.number < 0 {
		return hint.Usage("--attempt 0 is the first", "--attempt %d: attempts are counted from 0 on", f.number)
	}
	wrong := ""
	cmd.Flags().Visit(func(x *pflag.Flag) {
		if !slices.Contains(besides, x.Name) && wrong == "" {
			wrong = x.Name
		}
	})
	if wrong != "" {
		return hint.Usage("leave it out, or make another plan: memcost plan --help",
			"--%s cannot stand beside --plan, which says how to measure", wrong)
	}
	return nil
}

// Begin begins the attempt. done closes the place.
func (f *Part) Begin(cmd *cobra.Command, a *App, t *session.Tools, shard, shards int) (s *fleet.Shard, done func(),
	err error) {
	done = func() {}
	o := fleet.Options{Origin: a.Origin(), Shard: max(shard, 1), Shards: max(shards, 1), Results: f.Results, Job: f.job,
		Note: t.Log.Note}
	if o.Plan, err = ReadPlan(cmd.Context(), f.Plan); err != nil {
		return nil, done, err
	}
	if cmd.Flags().Changed("attempt") {
		o.Number = &f.number
	}
	if o.To, err = openTo(cmd.Context(), f.to); err != nil {
		return nil, done, err
	}
	if o.To != nil {
		done = func() { o.To.Close() }
	}
	s, err = fleet.Begin(cmd.Context(), t, o)
	return s, done, err
}

// openTo opens the place that --to names, for writing; nil for "".
func openTo(ctx context.Context, to string) (*place.Place, error) {
	if to == "" {
		return nil, nil
	}
	return place.Open(ctx, to, true)
}

// ReadPlan reads the plan file that a flag names: a file, or that in a bucket.
func ReadPlan(ctx context.Context, name string) (*fleet.File, error) {
	if place.IsURL(name) {
		return planOf(ctx, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, hint.With("memcost plan STUDY -o "+name+" writes one", fmt.Errorf("reading the plan: %w", err))
	}
	return fleet.Read(name, data)
}

// planOf reads the plan file s3://BUCKET/PREFIX/PLAN/plan.json.
func planOf(ctx context.Context, url string) (*fleet.File, error) {
	folder, file := split(url)
	if file != fleet.Name {
		return nil, hint.Usage(place.Scheme+"BUCKET/PREFIX/PLAN/"+fleet.Name,
			"--plan %s: not a plan file in a place", url)
	}
	at, err := place.Open(ctx, folder, false)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	data, err := at.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	return fleet.Read(url, data)
}

// runPart measures a shard of a plan, copies it to where shards meet, and prints its answer.
func runPart(cmd *cobra.Command, a *App, f *runFlags) error {
	f.part.Results = f.Results
	var shard *fleet.Shard
	done := func() {}
	defer func() { done() }()
	return a.measure(cmd.Context(), measurement{verbose: f.verbose, waits: true,
		begin: func(ctx context.Context, t *session.Tools) (_ *session.Session, err error) {
			shard, done, err = f.part.Begin(cmd, a, t, f.Shard, f.Shards)
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
			ans, err := answerOf(a, s.Folder.Dir, true, f.show)
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
