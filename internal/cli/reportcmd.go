package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/pack"
	"memcost/internal/report/compare"
	"memcost/internal/sites/explain"
)

func reportCommand(a *App) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN... [STUDY]",
		Short: "The answer of runs, as a page to look at, as text, or for other tools",
		Long: `Computes the answer of one or more runs anew from their samples.

A RUN is a run folder, or a file of benchmark results of someone else's: in the Go
benchmark format (whatever benchstat reads), Google Benchmark's JSON,
github-action-benchmark's JSON, the Bencher metric format, or CSV; - is standard
input. Several runs
(machines, Go versions, dates) stand beside each other and are compared.

A RUN may also be a place where the shards of a plan meet (memcost run --plan --to PLACE):
a folder, or s3://BUCKET/PREFIX. The shards of each machine are joined to one run; PLACE/PLAN
names one of several plans.

Or it is a pack (memcost pack), whose machines are read one after the other; with a STUDY only
the samples of that one are read.

Printed is what a reader meets first, on one screen: the answer, what a block costs by
every means, how the claims of each study stand, what to do, and how far the run can be
relied on. A STUDY (or package) of the run is printed in full instead; --long prints
all of them. A comparison of sides is its table, below that screen where it tests the
claims of several studies.

Without --format and -o the text is printed and the page is written: into the run
folder, or to memcost-report.html when there are several runs. The page is one file
that needs no network.`,
		Example: `  memcost report results/20261121-101530-myhost --open
  memcost report RUN stackheap                  one study in full
  memcost report RUN --long                     all studies in full, with every case
  memcost report results/* -o all.html
  memcost report /mnt/shared                    the joined shards of a plan, by machine
  memcost report fleet.pack stackheap           one study of a pack
  memcost report old.txt new.txt
  memcost report results/* --format md          for a pull request
  memcost report bench.json --format go         a file for benchstat
  memcost report RUN --published 'Apple M1 Max' only these published figures`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hint.Usage("name a run folder or a file: memcost report results/…", "memcost report needs a run")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			g, err := GateOf(f.gate)
			if err != nil {
				return err
			}
			if len(args) == 1 && IsHistory(args[0]) {
				return ReportHistory(a, args[0], f.format, f.out, f.long, f.open)
			}
			if pack.Is(args[0]) {
				return reportPack(cmd.Context(), a, args, &f)
			}
			for _, arg := range args {
				switch {
				case explain.Is(arg):
					return hint.Usage("memcost why "+arg, "%s holds what memcost why found", arg)
				case pack.Is(arg):
					return hint.Usage("memcost report "+arg, "the pack %s is reported on by itself", arg)
				}
			}
			runs, joined, done, err := Join(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			defer done()
			f.joined = joined
			return report(a, runs, &f, g)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "print `FORMAT` instead: "+strings.Join(FormatNames(), ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`; without --format its ending says what (.html, .md, "+
		".csv, .json, .txt)")
	fl.StringVar(&f.published, "published", "all",
		"published figures to show beside: all, none, or the `NAME` of a data set or its machine (memcost list)")
	fl.StringVar(&f.gate, "gate", "", "exit with status 3 on regressions of the further runs against the first, as "+
		"memcost compare does: --gate=slower=3%,allocs")
	fl.Lookup("gate").NoOptDefVal = compare.Default
	fl.BoolVar(&f.open, "open", false, "open the page in a browser")
	fl.BoolVar(&f.long, "long", false, "text: all studies in full, with every case")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return FormatNames(), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RegisterFlagCompletionFunc("published", CompletePublished)
	cmd.ValidArgsFunction = completeReport
	return cmd
}

func report(a *App, runs []string, f *reportFlags, g *compare.Gate) error {
	runs, names := RunsAndStudies(runs)
	if len(names) == 0 && isSamples(f.format) && g == nil {
		return writeSamples(a, runs, f)
	}
	o, err := ReportOptions(f.published)
	if err != nil {
		return err
	}
	o.Evidence = f.format == "" || f.format == "html"
	o.Samples = g != nil && len(runs) > 1
	answers, err := ReadRuns(a, runs, o)
	if err != nil {
		return err
	}
	if g == nil { // a gate compares file by file
		if answers, err = JoinFiles(answers, o); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		if answers, err = ChooseStudies(answers, runs, names); err != nil {
			return err
		}
		return shownStudies(a, answers, f)
	}
	if err := shown(a, runs, answers, f); err != nil || g == nil {
		return err
	}
	r, err := RecordedReport(answers)
	if err != nil {
		return err
	}
	return Closed(a, r, g)
}
