package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

func runCommand(a *App) *cobra.Command {
	f := newRunFlags()
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
			switch {
			case f.resume != "":
				return a.resume(cmd, &f.commonFlags, args)
			case f.part.plan != "":
				return runPart(cmd, a, &f, args)
			}
			f.Origin, f.Args = a.Origin(), args
			return a.measure(cmd.Context(), run(a, &f.commonFlags).begins())
		},
		ValidArgsFunction: completeStudies,
	}
	register(cmd, append(f.asked(), f.output().pick("json", "open",
		"long = print all studies in full, with every case"),
		f.gatesSides(claimsAlone, "if a claim fails or cannot be tested here, or a case is INVALID, failed or left "+
			"out; with a value, --gate=slower=3%, also if a configuration is slower than the first"),
		f.folder().pick("results", "resume", "trust", "dry-run = build and list, then print the plan, how long it takes, "+
			"and the commands of the first round", "verbose"),
		f.part.flags(&f.Options))...)
	return cmd
}

// run is the measurement of studies and packages.
func run(a *App, f *commonFlags) measurement {
	return measurement{flags: f,
		plan: func(s *session.Session) error { return printPlan(a.Stdout, s, f.json) },
		show: func(s *session.Session) (string, error) {
			ans, err := f.showRun(a, s.Folder.Dir, true)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf(", %.1f%% of run time in benchmark loops", 100*ans.LoopShare), f.judge(a, s, ans)
		}}
}

// runFlags are the flags of memcost run as they were given.
type runFlags struct {
	commonFlags
	part partFlags
}

func newRunFlags() (f runFlags) {
	f.Alpha, f.Go = plan.Alpha, "local"
	return f
}

// asked are the flags that say what is measured and how, which a plan records.
func (f *runFlags) asked() []flags {
	return []flags{
		f.sides(source.CheckVary).pick("go: published: those of the published figures", "vary: NAME=VALUE of the environment, or "+
			"a build flag; for the study malloc M_TOP_PAD=0, LD_PRELOAD=FILE, -L or NAME=VALUE; repeatable", "bench",
			"tags: packages of your own", "only: malloc only"),
		f.budgets().pick("budget: calibration included; with --resume in all; default: what the profile and the "+
			"number of studies need", "timeout: default: 1m", "rounds: default: until all is decided, or the budget is spent",
			"precision", "stop-when-decided", "alpha"),
		f.sampling().pick("seed", "sample: default: 60ms, up to 235ms where it collects seldom; several studies "+
			"together 30ms", "layouts: default: as many as are worth their time", "slices", "cpu", "load",
			"quick: 3% precision, under 5 minutes; the default", "full: 1% precision, 30 minutes, longer samples", "no-guards"),
		f.folder().pick("label"),
		{{name: "claim", takes: words(&f.Claims, nil), offers: completeClaim, help: "test this `claim`, too: " +
			"'BenchmarkOld / BenchmarkNew > 1', or as a directive //memcost:claim has it (repeatable)"}},
	}
}

// judge returns what of an answer is an error: what closes the gate, or could not be measured.
func (f *commonFlags) judge(a *App, s *session.Session, ans *result.Answer) error {
	if f.gate {
		if n, limited := undecided(ans); n > 0 {
			what := "a longer --budget may decide more"
			switch {
			case limited == n:
				what = limitedByLinks
			case ans.Busy != "":
				what = "the machine was busy, and the gate says nothing of ratios of different code and of costs"
			}
			fmt.Fprintf(a.Stderr, "note: --gate: %s undecided here, which closes no gate; %s\n",
				units.Plural(n, "claim"), what)
		}
		if err := finding(ans, s.Question.LeftOut); err != nil {
			return err
		}
		return f.configurations(a, ans)
	}
	return broken(ans, s.Broken)
}

// configurations returns what closes the gate among the configurations of a run.
func (f *commonFlags) configurations(a *App, ans *result.Answer) error {
	if f.rules == nil {
		return nil
	}
	r, err := compare.OfRun(ans)
	if err != nil {
		return hint.With("add a configuration: --vary or --go", fmt.Errorf("--gate: %w", err))
	}
	return Closed(a, r, f.rules)
}

// broken is the error of a run of which something could not be measured that was asked for;
// the rest has been shown.
func broken(ans *result.Answer, leftOut []string) error {
	failed := 0
	for _, s := range ans.Studies {
		for _, x := range s.Problems() {
			if x.Kind == result.Failed {
				failed++
			}
		}
	}
	switch {
	case len(leftOut) > 0:
		return fmt.Errorf("not everything could be measured: %s left out, as said above",
			units.Plural(len(leftOut), "build"))
	case failed > 0:
		return fmt.Errorf("not everything could be measured: %d of the benchmarks failed, as listed above", failed)
	}
	return nil
}
