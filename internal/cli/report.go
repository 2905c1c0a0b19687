package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/exchange"
	"memcost/internal/fleet"
	"memcost/internal/fleet/pack"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
	"memcost/internal/sites/explain"
)

func reportCommand(a *App) *cobra.Command {
	f := reportFlags{published: "all"}
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
		Args: needs(false, "run", "name a run folder or a file: memcost report results/…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.format != "" {
				if err := f.pageInFile(); err != nil {
					return err
				}
			}
			if len(args) == 1 && isHistory(args[0]) {
				return f.reportHistory(a, args[0])
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
			runs := args
			if f.joined = slices.ContainsFunc(args, fleet.IsPlace); f.joined {
				dir, err := os.MkdirTemp("", "memcost-joined-")
				if err != nil {
					return fmt.Errorf("making a folder for the joined shards: %w", err)
				}
				defer os.RemoveAll(dir)
				note := func(s string) { fmt.Fprintln(a.Stderr, s) }
				if runs, err = fleet.Join(cmd.Context(), args, dir, note); err != nil {
					return err
				}
			}
			return report(a, runs, &f)
		},
	}
	register(cmd, f.output(formatNames()...).pick("format", "json", "output", "open",
		"long = print all studies in full, with every case"),
		f.completeness(),
		f.gatesSides(compare.Default, "on regressions of the further runs against the first, as memcost compare "+
			"does: --gate=slower=3%,allocs"),
		flags{{name: "published", takes: checked(&f.published, func(which string) error {
			_, err := choosePublished(which)
			return err
		}), offers: completePublished, help: "published figures to " +
			"show beside: all, none, or the `NAME` of a data set or its machine (memcost list)"}})
	cmd.ValidArgsFunction = completeReport
	return cmd
}

func report(a *App, runs []string, f *reportFlags) error {
	g := f.rules
	runs, names := runsAndStudies(runs)
	if len(names) == 0 && isSamples(f.format) && g == nil {
		return writeSamples(a, runs, f)
	}
	o := reportOptions(f.published, f.format == "" || f.format == "html")
	o.Samples = g != nil && len(runs) > 1
	answers, err := readRuns(a, runs, o)
	if err != nil {
		return err
	}
	if g == nil { // a gate compares file by file
		if answers, err = joinFiles(answers, o); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		if answers, err = chooseStudies(answers, runs, names); err != nil {
			return err
		}
		return shownStudies(a, answers, f)
	}
	if err := shown(a, runs, answers, f); err != nil || g == nil {
		return err
	}
	r, err := recordedReport(answers)
	if err != nil {
		return err
	}
	return Closed(a, r, g)
}

// reportFlags are the flags of memcost report as they were given.
type reportFlags struct {
	commonFlags
	published string
	joined    bool // a run is a place whose shards were joined
}

// isComplete returns errIncomplete where --complete asks for all cases of a plan, and some are in missing shards.
func (f *reportFlags) isComplete(answers []*result.Answer) error {
	if f.complete && slices.ContainsFunc(answers, func(a *result.Answer) bool { return a.Missing > 0 }) {
		return errIncomplete
	}
	return nil
}

// shown prints the answers, and writes their page where no format is asked for.
func shown(a *App, runs []string, answers []*result.Answer, f *reportFlags) error {
	if f.format == "" {
		return cmp.Or(f.showAnswers(a, answers, reportPage(runs, f.joined)), f.isComplete(answers))
	}
	return cmp.Or(f.showFile(a, saidOf(answers, f.format, "")), f.isComplete(answers))
}

// shownStudies prints studies of the answers in full.
func shownStudies(a *App, answers []*result.Answer, f *reportFlags) error {
	x := saidOf(answers, f.format, "")
	x.text = func(w io.Writer, s terminal.Style) error { return terminal.Write(w, detailsOf(answers), s) }
	return cmp.Or(f.showFile(a, x), f.isComplete(answers))
}

// reportPage returns where the page of runs belongs; a folder of joined shards is removed.
func reportPage(runs []string, joined bool) string {
	if info, err := os.Stat(runs[0]); len(runs) == 1 && !joined && err == nil && info.IsDir() {
		return filepath.Join(runs[0], pageName)
	}
	return "memcost-report.html"
}

// writeSamples writes the samples of one run in another tool's format.
func writeSamples(a *App, runs []string, f *reportFlags) error {
	if len(runs) > 1 {
		return hint.Usage("give it one run at a time, or use --format csv",
			"--format %s holds the samples of one run, not of %d", f.format, len(runs))
	}
	if _, err := os.Stat(runs[0]); err != nil {
		return noRun(runs[0], err)
	}
	return a.Output(f.out, func(w io.Writer) error {
		return exchange.WriteSamples(w, exchange.Format(f.format), result.Samples(runs[0]))
	})
}

// isSamples reports whether a format holds samples, and not the answer.
func isSamples(format string) bool {
	return format == string(exchange.Go) || format == string(exchange.Google)
}

// reportPack reports on a pack, or on studies of it.
func reportPack(ctx context.Context, a *App, args []string, f *reportFlags) error {
	switch {
	case f.gate:
		return hint.Usage("give --gate the run folders themselves", "--gate compares runs, and %s is a pack", args[0])
	case isSamples(f.format):
		return hint.Usage("any tool that reads Parquet has them: "+filepath.Join(args[0], pack.SamplesDir),
			"--format %s holds the samples of one run, and %s is a pack", f.format, args[0])
	}
	f.joined = true
	answers, err := Answers(ctx, a, args[0], args[1:], reportOptions(f.published, false))
	if err != nil {
		return err
	}
	if len(args) > 1 {
		return shownStudies(a, answers, f)
	}
	return shown(a, args[:1], answers, f)
}

// completeReport completes the arguments of memcost report: behind a pack the studies that it has.
func completeReport(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 && pack.Is(args[0]) {
		if x, err := pack.ReadIndex(args[0]); err == nil {
			return slices.DeleteFunc(x.Studies(), func(s string) bool { return s == series.FloorStudy }),
				cobra.ShellCompDirectiveNoFileComp
		}
	}
	return completeStudiesOf(cmd, args, prefix)
}

// keptTimes is how many samples a report may be of that compares the machines of a pack with each other,
// for which the times of all samples are needed at once. Above it each machine has its answer alone.
const keptTimes = 2_000_000

// A reader computes the answers of a pack, one machine after the other.
type reader struct {
	pack    *pack.Pack
	studies []string
	options result.Options
	hosts   map[string]int // machines of a name
	several bool           // there is more than one answer
	times   bool           // answers keep the times of all samples
	answers []*result.Answer
}

// Answers computes the answers of a pack: of the named studies and packages, of all where none is named.
// In memory are the samples of one machine at a time, and of the others what was found.
func Answers(ctx context.Context, a *App, dir string, names []string, o result.Options) ([]*result.Answer,
	error) {
	p, err := pack.Open(dir)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	all := slices.DeleteFunc(p.Index.Studies(), func(s string) bool { return s == series.FloorStudy })
	r := &reader{pack: p, studies: all, options: o, hosts: map[string]int{}}
	if len(names) > 0 {
		if r.studies, err = studiesNamed(all, []string{dir}, names); err != nil {
			return nil, err
		}
	}
	machines := slices.DeleteFunc(p.Index.Machines(), func(runs []int) bool {
		return !slices.ContainsFunc(runs, func(run int) bool { return p.Has(run, r.studies) })
	})
	if len(machines) == 0 {
		return nil, hint.New("pack the runs again when something was measured in them",
			"reading the pack %s: there is no sample in it", dir)
	}
	samples := r.prepare(machines)
	progress := NewProgress(a.Stderr)
	defer progress.End()
	if !r.times {
		progress.Note(fmt.Sprintf("the machines are not compared with each other: that needs the times of all %s "+
			"samples in memory, and is done up to %s", units.Thousands(samples), units.Thousands(keptTimes)))
	}
	start := time.Now()
	for i, runs := range machines {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("reading the pack %s: %w", dir, err)
		}
		if i > 0 {
			left := time.Since(start) * time.Duration(len(machines)-i) / time.Duration(i)
			progress.Step(fmt.Sprintf("read %d of %d machines, about %v left", i, len(machines),
				left.Round(time.Second)))
		}
		if err := r.machine(runs); err != nil {
			return nil, err
		}
	}
	return r.answers, nil
}

// prepare looks at how much there is to read, and returns how many samples.
func (r *reader) prepare(machines [][]int) int64 {
	x := r.pack.Index
	samples := int64(0)
	for _, p := range x.Parts {
		if slices.Contains(r.studies, p.Study) {
			samples += p.Samples
		}
	}
	known := map[string]bool{}
	for _, run := range x.Runs {
		if key := run.Host + "\n" + run.Machine; !known[key] {
			known[key] = true
			r.hosts[run.Host]++
		}
	}
	r.several, r.times = len(machines) > 1, len(machines) == 1 || samples <= keptTimes
	return samples
}

// machine computes the answers of the runs of a machine at a plan, or of one run.
func (r *reader) machine(runs []int) error {
	var folders []store.Source
	for _, run := range runs {
		src, err := r.pack.Run(run, r.studies)
		if err != nil {
			return err
		}
		if x := r.pack.Index.Runs[run]; x.Plan == "" {
			src.Name = x.Name
			return r.answer(src.Source)
		}
		folders = append(folders, src.Source)
	}
	for _, s := range fleet.Sets(folders) {
		q := s.Question()
		q.Joined = r.pack.Dir + "/" + s.Machine
		if r.several || s.State != "" {
			q.Label = strings.TrimSpace(q.Label + " " + s.Label(r.hosts[s.Host()] > 1))
		}
		samples := func(fn func(*benchfmt.Result) error) ([]error, error) {
			tally, err := s.Stream(q, fn)
			return tally.Warnings, err
		}
		if err := r.answer(store.Source{Name: q.Joined, Question: q, Samples: samples}); err != nil {
			return err
		}
	}
	return nil
}

// answer computes an answer. Beside others it keeps what is shown of it, and not the samples.
func (r *reader) answer(src store.Source) error {
	a, err := result.ReadFrom(src, r.options)
	if err != nil {
		return err
	}
	r.answers = append(r.answers, a)
	if r.several {
		slim(a, r.times)
	}
	return nil
}

// slim drops what nothing shows of an answer beside others.
func slim(a *result.Answer, times bool) {
	a.Set = nil
	if q := a.Question; q != nil && q.Comparison == nil {
		a.Question = &plan.Question{Format: q.Format, Joined: q.Joined, Plan: plan.Plan{Studies: q.Plan.Studies}}
	}
	for i := range a.Studies {
		s := &a.Studies[i]
		s.Judged = nil
		for k := range s.Cases {
			if !times {
				s.Cases[k].Times = nil
			}
		}
	}
}
