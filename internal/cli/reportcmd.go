package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/comparing"
	"memcost/internal/exchange"
	"memcost/internal/explain"
	"memcost/internal/front"
	"memcost/internal/gate"
	"memcost/internal/hint"
	"memcost/internal/result"
	"memcost/internal/sharing"
	"memcost/internal/text"
)

// reportFlags are the flags of memcost report as they were given.
type reportFlags struct {
	format    string
	json      bool
	out       string
	published string
	open      bool
	long      bool
	gate      string
	joined    bool // a run is a place whose shards were joined
}

func reportCommand(a *front.App) *cobra.Command {
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
			g, err := comparing.GateOf(f.gate)
			if err != nil {
				return err
			}
			if len(args) == 1 && comparing.IsHistory(args[0]) {
				return comparing.ReportHistory(a, args[0], f.format, f.out, f.long, f.open)
			}
			for _, arg := range args {
				if explain.Is(arg) {
					return hint.Usage("memcost why "+arg, "%s holds what memcost why found", arg)
				}
			}
			runs, joined, done, err := sharing.Join(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			defer done()
			f.joined = joined
			return report(a, runs, &f, g)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "print `FORMAT` instead: "+strings.Join(front.FormatNames(), ", "))
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`; without --format its ending says what (.html, .md, "+
		".csv, .json, .txt)")
	fl.StringVar(&f.published, "published", "all",
		"published figures to show beside: all, none, or the `NAME` of a data set or its machine (memcost list)")
	fl.StringVar(&f.gate, "gate", "", "exit with status 3 on regressions of the further runs against the first, as "+
		"memcost compare does: --gate=slower=3%,allocs")
	fl.Lookup("gate").NoOptDefVal = gate.Default
	fl.BoolVar(&f.open, "open", false, "open the page in a browser")
	fl.BoolVar(&f.long, "long", false, "text: all studies in full, with every case")
	cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return front.FormatNames(), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RegisterFlagCompletionFunc("published", front.CompletePublished)
	cmd.ValidArgsFunction = front.CompleteReport
	return cmd
}

func (f *reportFlags) check() (err error) {
	if f.format, err = front.ChooseFormat(f.format, f.out, f.json, front.FormatNames()); err != nil {
		return err
	}
	if f.open && f.format != "" && (f.format != "html" || f.out == "") {
		return hint.Usage("leave --format out, or name the page: --open -o page.html",
			"--open shows the page, and none would be written to a file")
	}
	return nil
}

func report(a *front.App, runs []string, f *reportFlags, g *gate.Gate) error {
	runs, names := front.RunsAndStudies(runs)
	if len(names) == 0 && isSamples(f.format) && g == nil {
		return writeSamples(a, runs, f)
	}
	o, err := front.ReportOptions(f.published)
	if err != nil {
		return err
	}
	o.Evidence = f.format == "" || f.format == "html"
	o.Samples = g != nil && len(runs) > 1
	answers, err := front.ReadRuns(a, runs, o)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		if answers, err = front.ChooseStudies(answers, runs, names); err != nil {
			return err
		}
		return shownStudies(a, answers, f)
	}
	if err := shown(a, runs, answers, f); err != nil || g == nil {
		return err
	}
	r, err := comparing.RecordedReport(answers)
	if err != nil {
		return err
	}
	return comparing.Closed(a, r, g)
}

// shown prints the answers, and writes their page.
func shown(a *front.App, runs []string, answers []*result.Answer, f *reportFlags) error {
	if f.format == "" {
		page := reportPage(runs, f.joined)
		paged, err := a.Show(answers, "text", front.View{Style: a.Style(f.long), Page: page})
		switch {
		case err != nil || !f.open:
			return err
		case !paged:
			return errors.New("there is no page to open")
		}
		return front.OpenPage(page)
	}
	return rendered(a, answers, f)
}

// shownStudies prints studies of the answers in full.
func shownStudies(a *front.App, answers []*result.Answer, f *reportFlags) error {
	if f.format == "" || f.format == "text" {
		return a.Output(f.out, func(w *front.Output) error { return text.Write(w, answers, w.Style(a, f.long)) })
	}
	return rendered(a, answers, f)
}

// rendered writes the answers in the format that was asked for.
func rendered(a *front.App, answers []*result.Answer, f *reportFlags) error {
	if err := a.Output(f.out, func(w *front.Output) error {
		return front.Render(w, answers, f.format, front.View{Style: w.Style(a, f.long)})
	}); err != nil {
		return err
	}
	if f.open {
		return front.OpenPage(f.out)
	}
	return nil
}

// reportPage returns where the page of runs belongs; a folder of joined shards is removed.
func reportPage(runs []string, joined bool) string {
	if info, err := os.Stat(runs[0]); len(runs) == 1 && !joined && err == nil && info.IsDir() {
		return filepath.Join(runs[0], front.PageName)
	}
	return "memcost-report.html"
}

// writeSamples writes the samples of one run in another tool's format.
func writeSamples(a *front.App, runs []string, f *reportFlags) error {
	if len(runs) > 1 {
		return hint.Usage("give it one run at a time, or use --format csv",
			"--format %s holds the samples of one run, not of %d", f.format, len(runs))
	}
	if _, err := os.Stat(runs[0]); err != nil {
		return front.NoRun(runs[0], err)
	}
	return a.Output(f.out, func(w *front.Output) error {
		return exchange.WriteSamples(w, exchange.Format(f.format), result.Samples(runs[0]))
	})
}

// isSamples reports whether a format holds samples, and not the answer.
func isSamples(format string) bool {
	return format == string(exchange.Go) || format == string(exchange.Google)
}
