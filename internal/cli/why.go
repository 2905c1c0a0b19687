package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/measure/session"
	"memcost/internal/show/terminal"
	"memcost/internal/sites"
	"memcost/internal/sites/diff"
	"memcost/internal/sites/explain"
	"memcost/internal/sites/export"
)

func whyCommand(a *App) *cobra.Command {
	f := whyFlags{of: explain.Options{Runs: 10}}
	f.Go, f.Timeout = "local", time.Minute
	cmd := &cobra.Command{
		Use:   "why [PACKAGE ...]",
		Short: "Each heap allocation of a package: its reason, its cost, its usual fix",
		Long: `Says of each site of a Go package, which is an expression that allocates, why it does, what
it costs, and what usually helps. Three sources are joined: what the compiler says
(-gcflags=-m=2), what a heap profile of the timed part of each benchmark counts, and the calls
of the allocator in the very binary that ran. What is counted is what the benchmarks' timed
parts allocate, and no set-up.

A PACKAGE is a pattern of Go packages (./..., ./codec, encoding/json); without one it is the
package of the current folder. Its benchmarks are run (-b chooses), or its tests (--test), or
nothing (--static), or a profile is read that there is already (--profile, with --binary).
Each benchmark runs alone: once to count, and then under the CPU profiler, --runs times. With
--runs=0 there are counts, and no shares of CPU time.

A module's own packages are the user's, all of them. An allocation inside of a dependency is charged
to the line that called it, with the reason in the dependency; --all shows the lines inside. Objects of less than 16 bytes share blocks, and
a profile does not see all of them: they are shared out by estimate, and with --exact counted,
for which the runtime is built anew.

What was found is kept in a folder below results: memcost why FOLDER shows it again, with
--site and --source more of it, without measuring.

--since REV measures that revision too and says which sites are gone, new, or cost something
else; --go 1.25,1.27 does so for Go versions. In the source, //memcost:allocs 0 before a
function or at the end of a line is a budget, which the compiler, the binary and the benchmarks
are held to. With --gate the exit status is 3 where a budget is broken, and with --since where a
benchmark allocates more in all.`,
		Example: `  memcost why                            the package in this folder
  memcost why ./codec -b Decode
  memcost why encoding/json -b 'CodeDecoder$'
  memcost why results/20261123-101530-why --site 1
  memcost why results/20261123-101530-why --source decode.go
  memcost why ./codec --since HEAD~1 --gate
  memcost why ./codec --go 1.25,1.27
  memcost why ./codec --test TestRoundTrip
  memcost why ./codec --profile heap.pprof --binary ./server
  memcost why ./... --static --format sarif -o allocations.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, f.TestArgs = args[:at], args[at:]
			}
			return why(cmd, a, &f, args)
		},
	}
	f.register(cmd)
	return cmd
}

// why explains packages, or shows what was found before.
func why(cmd *cobra.Command, a *App, f *whyFlags, args []string) error {
	ctx := cmd.Context()
	if len(args) == 1 && explain.Is(args[0]) {
		if err := measures(cmd, args[0]+" was measured before", "name packages instead"); err != nil {
			return err
		}
		k, err := explain.Read(args[0])
		if err != nil {
			return err
		}
		return showWhy(a, f, k, args[0])
	}
	o := f.options(args)
	tools, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer tools.Log.End()
	o.Dir = tools.Dir
	if o.Versions, err = tools.Versions(ctx, f.Go); err != nil {
		return err
	}
	folder, err := explain.Create(f.Results, time.Now())
	if err != nil {
		return err
	}
	defer folder.Close()
	k, err := explain.Explain(ctx, tools, o, func(x sites.Progress) {
		if x.Found {
			tools.Log.Note(x.What)
			return
		}
		tools.Log.Step(progressOf(x))
	})
	tools.Log.End()
	switch {
	case err != nil && ctx.Err() != nil:
		return session.Stopped("no benchmark had been counted")
	case err != nil:
		return err
	}
	k.Command = append([]string{"memcost"}, a.Args...)
	if err := folder.Keep(k, time.Now()); err != nil {
		return err
	}
	if err := keepProfile(k, folder.Dir); err != nil {
		return err
	}
	if err := showWhy(a, f, k, folder.Dir); err != nil || ctx.Err() == nil {
		return err
	}
	return session.Stopped("what was counted until then has been shown, and is kept in " + folder.Dir)
}

// progressOf says how far counting is.
func progressOf(x sites.Progress) string {
	says := x.What
	if x.Of > 0 {
		says += fmt.Sprintf(", %d of %d", x.Done, x.Of)
	}
	if x.Left >= time.Second {
		says += fmt.Sprintf(", about %v left", x.Left.Round(time.Second))
	}
	return says
}

// whyFlags are the flags of memcost why as they were given.
type whyFlags struct {
	commonFlags
	of     explain.Options
	site   string
	source string
	all    bool
}

func (f *whyFlags) register(cmd *cobra.Command) {
	register(cmd,
		f.output("text", "html", "md", "json", "github", "sarif", "pprof").pick("format", "json", "output",
			"open", "long = print every site, also those that did not allocate"),
		f.gates("where a budget is broken; with --since, where a benchmark allocates more"),
		f.budgets().pick("budget: default: 10s a benchmark, at most 5m", "timeout"),
		f.sides(nil).pick("go: each further one is compared with the first", "bench", "tags", "build-flag"),
		f.folder().pick("results", "verbose"),
		flags{
			{name: "test", takes: checked(&f.of.Test, session.CheckBench), not: "bench static",
				help: "run the tests that match the regular expression, and no benchmarks"},
			{name: "static", takes: toggle(&f.of.Static), not: "bench exact",
				help: "run nothing: what the compiler and the binary say"},
			{name: "profile", takes: word(&f.of.Profile), not: "bench test static exact since go", needs: "binary", eg: "heap.pprof --binary ./server",
				help: "read the heap profile in `FILE`, and run nothing"},
			{name: "binary", takes: word(&f.of.Binary), needs: "profile", eg: "./server", help: "the `program` of the profile"},
			{name: "exact", takes: toggle(&f.of.Exact),
				help: "count objects of less than 16 bytes one by one: builds the runtime anew"},
			{name: "runs", takes: between(&f.of.Runs, 0, unlimited), eg: "20",
				help: "runs of each benchmark under the CPU profiler; 0: counts alone"},
			{name: "since", takes: word(&f.of.Since), help: "compare with the revision `REV` of the repository"},
			{name: "site", takes: word(&f.site), shows: true, not: "source",
				help: "one site in full: its `number`, its ID, or FILE:LINE"},
			{name: "source", takes: word(&f.source), shows: true,
				help: "the source of `FILE` with the costs beside its lines"},
			{name: "all", takes: toggle(&f.all), shows: true, help: "show the lines inside dependencies, too"},
		})
}

// options are the flags, for packages.
func (f *whyFlags) options(patterns []string) explain.Options {
	o := f.of
	o.Patterns, o.Bench, o.Tags, o.BuildFlags, o.TestArgs = patterns, f.Bench, f.Tags, f.BuildFlags, f.TestArgs
	o.Budget, o.Timeout = f.Budget, f.Timeout
	if len(patterns) == 0 {
		o.Patterns = []string{"."}
	}
	return o
}

// showWhy shows what was found, writes its page into its folder, and returns what --gate stops
// for.
func showWhy(a *App, f *whyFlags, k *explain.Kept, dir string) error {
	x, err := saidOfWhy(a, f, k, dir)
	if err == nil {
		err = f.show(a, x)
	}
	if err != nil {
		return err
	}
	if err := pagesOfWhy(a, f, k, dir); err != nil {
		return err
	}
	if !f.gate {
		return failedOf(k.Sides[len(k.Sides)-1].Report)
	}
	return gateOfWhy(k)
}

// failedOf is the error of what could not be counted; the rest has been shown.
func failedOf(r *sites.Report) error {
	var failed []string
	for _, b := range r.Benchmarks {
		if b.Failed != "" {
			failed = append(failed, b.Name)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("not everything could be counted: %s failed, as shown above: %s",
		units.Plural(len(failed), "benchmark"), strings.Join(failed, ", "))
}

// sitesName is the page of the last side, where report.html compares it with another.
const sitesName = "sites.html"

// pagesOfWhy writes the page into the folder: of the sites, or of what became of them, and then the
// sites beside it. What was found is safe by then.
func pagesOfWhy(a *App, f *whyFlags, k *explain.Kept, dir string) error {
	d, err := documentOfWhy(&whyFlags{}, k, dir)
	if err != nil {
		return err
	}
	again, path := "memcost why "+dir, filepath.Join(dir, pageName)
	if diffs := diffsOf(k); len(diffs) > 0 {
		a.page(filepath.Join(dir, sitesName), d, again)
		d = diff.Document(diffs, invocation(k), sitesName)
	}
	if a.page(path, d, again) {
		fmt.Fprintf(a.Stderr, "folder: %s\nreport: %s\n", dir, path)
		if f.open {
			a.Open(path)
		}
	}
	return nil
}

// invocation returns the command line that measured, as a shell takes it; "" if it is not known.
func invocation(k *explain.Kept) string {
	return units.ShellLine(k.Command)
}

// saidOfWhy is what was found of the last side, or how it differs from the first.
func saidOfWhy(a *App, f *whyFlags, k *explain.Kept, dir string) (x said, err error) {
	last := k.Sides[len(k.Sides)-1]
	diffs := diffsOf(k)
	if f.site != "" || f.source != "" {
		diffs = nil
	}
	x.json = last.Report.Versioned()
	d := diff.Document(diffs, invocation(k), "")
	if len(diffs) > 0 {
		x.json = diff.NewVersioned(diffs)
	} else if !slices.Contains([]string{"json", "sarif", "github", "pprof"}, f.format) {
		d, err = documentOfWhy(f, k, dir)
	}
	x.document = func() *document.Document { return d }
	x.text = func(w io.Writer, s terminal.Style) error {
		return terminal.Write(w, d, styleOfWhy(s, f, len(diffs) > 0))
	}
	x.own = func(w io.Writer, format string) error {
		o := export.Options{Version: a.Version, Folder: last.Folder, Root: last.Root, ReadFile: last.Read}
		switch format {
		case "sarif":
			return export.SARIF(w, last.Report, findingsOf(last), o)
		case "github":
			return export.Annotations(w, last.Report, findingsOf(last), o)
		}
		return copyProfile(w, dir)
	}
	return x, err
}

// documentOfWhy returns what is shown of the last side.
func documentOfWhy(f *whyFlags, k *explain.Kept, dir string) (*document.Document, error) {
	last := k.Sides[len(k.Sides)-1]
	v := sites.View{All: f.all, Site: f.site, Source: f.source, Asked: dir, Command: invocation(k), Read: last.Read}
	for _, x := range last.Findings {
		v.Budgets = append(v.Budgets, fmt.Sprintf("budget %s: %s:%d: %s", x.State, x.File, x.Line, x.Says))
	}
	return last.Report.Document(v)
}

// styleOfWhy fits what one reads at once to a screen: a narrower terminal than leastScreen has more
// lines.
func styleOfWhy(s terminal.Style, f *whyFlags, compared bool) terminal.Style {
	const width, leastScreen, lines = 100, 80, 45
	out := terminal.Style{Width: cmp.Or(s.Width, width), Color: s.Color, Long: s.Long}
	if !out.Long && !f.all && !compared && f.site == "" && f.source == "" && out.Width >= leastScreen {
		out.Lines = lines
	}
	return out
}

// profileName is the heap profile, with labels, in the folder of what was found.
const profileName = "allocations.pb.gz"

// keepProfile writes the heap profiles of the last side, which its record does not hold. Where
// nothing was run, or nothing allocates any longer, there is none.
func keepProfile(k *explain.Kept, dir string) error {
	r := k.Sides[len(k.Sides)-1].Report
	if !slices.ContainsFunc(r.Profiles, func(p sites.Profiled) bool {
		return p.Memory != nil && len(p.Memory.Sample) > 0
	}) {
		return nil
	}
	path := filepath.Join(dir, profileName)
	return writeInFolder(path, func(w io.Writer) error { return export.Pprof(w, r) })
}

func copyProfile(w io.Writer, dir string) error {
	f, err := foreign.Open(dir, profileName)
	if errors.Is(err, fs.ErrNotExist) {
		return hint.Usage("leave --static out",
			"--format pprof: nothing was run, or nothing allocated: there is no profile in %s", dir)
	}
	if err != nil {
		return fmt.Errorf("reading the profile: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// diffsOf compares each further side with the first.
func diffsOf(k *explain.Kept) []diff.Diff {
	if len(k.Sides) < 2 {
		return nil
	}
	var reports []*sites.Report
	for _, s := range k.Sides {
		reports = append(reports, s.Report)
	}
	diffs := diff.CompareAll(reports...)
	for i := range diffs {
		diffs[i].Old.Name, diffs[i].New.Name = k.Sides[0].Name, k.Sides[i+1].Name
	}
	return diffs
}

func findingsOf(s explain.Side) (out []export.Finding) {
	for _, x := range s.Findings {
		out = append(out, export.Finding{Note: x.State != explain.Broken, Package: x.Package, Function: x.Function,
			File: x.File, Path: x.Path, Line: x.Line, Col: x.Column, Says: x.Says})
	}
	return out
}

// gateOfWhy returns what closes the gate: budgets that are exceeded or cannot be checked, and what
// is worse than in the first side.
func gateOfWhy(k *explain.Kept) error {
	var says []string
	for _, x := range k.Sides[len(k.Sides)-1].Findings {
		if x.State != explain.Note {
			says = append(says, fmt.Sprintf("%s:%d: %s", x.File, x.Line, x.Says))
		}
	}
	for _, d := range diffsOf(k) {
		says = append(says, diff.Worse(d)...)
	}
	for _, b := range k.Sides[len(k.Sides)-1].Report.Benchmarks {
		if b.Failed != "" {
			says = append(says, b.Name+" failed: "+b.Failed)
		}
	}
	if len(says) == 0 {
		return nil
	}
	return closes(says)
}
