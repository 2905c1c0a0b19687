package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/fleet"
	"memcost/internal/measure/sample"
)

// planFlags are the flags of memcost plan: those of memcost run that say what is measured, and its own.
type planFlags struct {
	runFlags
	out, add string
	shards   int
	json     bool
}

func planCommand(a *App) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan [STUDY or PACKAGE ...]",
		Short: "Write down what many machines shall measure, to be shared among them",
		Long: `Writes a plan file: cases, configurations, claims and the seed, and how many iterations
each case takes on machines of this one's kind, which are calibrated once. Any machine of
the kind then measures a shard of it: memcost run --plan plan.json --shard 3/8.

A shard is whole comparisons, and the shards of a plan take about as long as each other:
--shards 8 shows how long. Machines of another kind (processor, memory, system) are
calibrated once, too: --add plan.json, on one of them, adds that to the file. The hash of a
plan is of what is measured, and neither of times nor of calibrations.`,
		Example: `  memcost plan stackheap malloc --go 1.25.4,1.27.4 --seed 1 -o plan.json
  memcost plan stackheap --shards 8        how long eight shards would take
  memcost plan --add plan.json             on a machine of another kind
  memcost run --plan plan.json --shard 3/8 --to /mnt/shared`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Args = args
			return makePlan(cmd, a, &f)
		},
		ValidArgsFunction: CompleteStudies,
	}
	f.registerAsked(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", fleet.Name, "write the plan to `FILE`")
	fl.StringVar(&f.add, "add", "", "add the calibration of machines like this one to the plan in `FILE`")
	fl.IntVar(&f.shards, "shards", 1, "show how long each of `n` shards would take")
	fl.BoolVar(&f.json, "json", false, "print what was planned as JSON")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	return cmd
}

func makePlan(cmd *cobra.Command, a *App, f *planFlags) error {
	if f.shards < 1 {
		return hint.Usage("--shards 8", "--shards %d: there is at least one", f.shards)
	}
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	defer a.Alone(p)()
	var file *fleet.File
	if f.add != "" {
		f.out = f.add
		file, err = AddKind(cmd, t, a, f.Args, f.add)
	} else if err = f.read(Changed(cmd)); err == nil {
		f.Origin = a.Origin()
		file, err = fleet.Make(cmd.Context(), t, f.Options)
	}
	if err != nil {
		if cmd.Context().Err() != nil && !hint.IsUsage(err) {
			return errors.New("interrupted: no plan was written")
		}
		return err
	}
	p.End()
	if err := WriteWhole(f.out, func(w io.Writer) error { return file.Write(w) }); err != nil {
		return err
	}
	x := Summary(file, f.out, f.shards)
	if f.json {
		return WriteJSON(a.Stdout, x)
	}
	return WriteSummary(a.Stdout, x)
}

// runPart measures a shard of a plan, copies it to where shards meet, and prints its answer.
func runPart(cmd *cobra.Command, a *App, f *runFlags) error {
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	release, err := a.AloneOrWait(cmd.Context(), p)
	if err != nil {
		if cmd.Context().Err() != nil {
			return ErrInterrupted()
		}
		return err
	}
	defer release()
	f.part.Results = f.Results
	s, done, err := f.part.Begin(cmd, a, t, f.Shard, f.Shards)
	defer done()
	if s != nil {
		defer s.Close()
	}
	ctx := cmd.Context()
	if err != nil {
		if ctx.Err() != nil && !hint.IsUsage(err) {
			return ErrInterrupted()
		}
		return err
	}
	stop, err := s.Measure(ctx)
	p.End()
	if err != nil {
		return err
	}
	if err := sendPart(ctx, s); err != nil {
		return hint.With("it is kept in "+s.Folder.Dir+", and sent before the next attempt at the plan here", err)
	}
	ans, err := answerOf(a, s.Folder.Dir, true, f.show)
	if err != nil {
		return err
	}
	at := s.Question.Attempt
	fmt.Fprintf(a.Stderr, "attempt %d at shard %d/%d of plan %s stopped: %s; %s of measuring\n", at.Number, at.Shard,
		at.Shards, at.Plan, stop, s.Measured.Round(time.Second))
	if stop == sample.Interrupted {
		return errors.New("interrupted; the complete rounds of the attempt count")
	}
	return broken(ans, s.Broken)
}

// sendTime is how long an attempt that was interrupted may take to be copied.
const sendTime = 2 * time.Minute

// sendPart copies an attempt, also when it was interrupted.
func sendPart(ctx context.Context, s *fleet.Shard) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	return s.Send(ctx)
}
