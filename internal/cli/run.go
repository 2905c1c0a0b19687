package cli

import (
	"context"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/session"
)

func runCommand(a *App) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [STUDY or PACKAGE ...]",
		Short: "Measure the shipped studies, or any Go benchmark package",
		Long: `Measures, and prints what memory costs here on one screen: the answer, what a block
costs by every means, which conclusions hold, and what to do. --long prints everything;
memcost report RUN STUDY prints one study.

A STUDY is the name of a shipped study (memcost list); a PACKAGE is a Go package
pattern of your own module (./..., ./codec, example.com/m/codec). Without an
argument every shipped study is run in the quick profile.

Every sample is a fresh process. Rounds go on until each claim is decided and each
ratio is known to --precision, or the --budget is spent; with --stop-when-decided they
end as soon as there is nothing left to decide. Ctrl-C is safe at any time: what was
measured is kept, and --resume goes on with it, whichever command began it.

--claim tests a claim that stands in no file: two benchmarks by their names, as in
'BenchmarkOld / BenchmarkNew > 1', or whatever a directive //memcost:claim may say
(docs/format.md). Old/small is compared with New/small. A claim that no benchmark
matches, or whose cases make no pairs, is an error before anything is measured.

--plan measures a shard of a plan that memcost plan wrote, and --to copies it to where the
shards of many machines meet: memcost status PLACE, memcost report PLACE.

-n runs each benchmark once, with one iteration, to find its cases, and calibrates and
measures nothing: how long the run takes follows from the lengths of samples.`,
		Example: `  memcost run
  memcost run stackheap --long         with every table and case
  memcost run stackheap --go 1.25.4,1.27.4
  memcost run stackheap --go published
  memcost run ./... -b 'Encode|Decode' --cpu 1,2 --budget 5m
  memcost run stackheap --load 0,1,all -b 'Smaug/./size=16384$'
  memcost run ./codec --claim 'BenchmarkOld / BenchmarkNew > 1' --stop-when-decided
  memcost run ./codec --claim 'Encode/lib=std / Encode/lib=fast > 1.2 for every size'
  memcost run ./codec --vary GOGC=off --vary '-gcflags=-N -l'
  memcost run malloc --vary M_TRIM_THRESHOLD=0,M_TOP_PAD=0 --vary LD_PRELOAD=libjemalloc.so.2
  memcost run --resume results/20261121-101530-myhost
  memcost run --plan plan.json --shard 3/8 --to /mnt/shared
  memcost run ./... -n                 the plan, how long it takes, and the commands`,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := Changed(cmd)
			if given("resume") {
				return resumeAny(a, cmd, &f, args)
			}
			if err := f.part.Check(cmd, args); err != nil {
				return err
			}
			f.Args = args
			if err := f.read(given); err != nil {
				return err
			}
			if f.part.Plan != "" {
				return runPart(cmd, a, &f)
			}
			return beginRun(cmd.Context(), a, &f)
		},
		ValidArgsFunction: CompleteStudies,
	}
	f.register(cmd)
	return cmd
}

func beginRun(ctx context.Context, a *App, f *runFlags) error {
	p := NewProgress(a.Stderr)
	defer p.End()
	t, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	f.Origin = a.Origin()
	r, err := session.Begin(ctx, t, f.Options)
	if r != nil {
		defer r.Close()
	}
	if err != nil {
		if ctx.Err() != nil && !hint.IsUsage(err) {
			return ErrInterrupted()
		}
		return err
	}
	if f.DryRun {
		p.End()
		return PrintPlan(a.Stdout, r, f.show.json)
	}
	return measure(ctx, a, r, p, f)
}
