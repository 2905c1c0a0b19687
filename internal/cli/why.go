package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/sites/count"
	"memcost/internal/sites/explain"
)

func whyCommand(a *App) *cobra.Command {
	var f whyFlags
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

An allocation inside of another package is charged to the line that called it, with the reason
in that package; --all shows the lines inside. Objects of less than 16 bytes share blocks, and
a profile does not see all of them: they are shared out by estimate, and with --exact counted,
for which the runtime is built anew.

What was found is kept in a folder below results: memcost why FOLDER shows it again, with
--site and --source more of it, without measuring.

--since REV measures that revision too and says which sites are gone, new, or cost something
else; --go 1.25,1.27 does so for Go versions. In the source, //memcost:allocs 0 before a
function or at the end of a line is a budget, which the compiler, the binary and the benchmarks
are held to. With --gate the exit status is 3 where a budget is broken, and with --since where
something is new or costs more.`,
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
			return why(cmd.Context(), a, &f, args, Changed(cmd))
		},
	}
	f.register(cmd)
	return cmd
}

// why explains packages, or shows what was found before.
func why(ctx context.Context, a *App, f *whyFlags, args []string, given func(string) bool) error {
	err := f.check(args, given)
	if err != nil {
		return err
	}
	if len(args) == 1 && explain.Is(args[0]) {
		k, err := explain.Read(args[0])
		if err != nil {
			return err
		}
		return showWhy(a, f, k, args[0])
	}
	if f.Dir, err = os.Getwd(); err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	f.Patterns = args
	if len(args) == 0 {
		f.Patterns = []string{"."}
	}
	p := NewProgress(a.Stderr)
	defer p.End()
	tools, err := a.Tools(p, f.verbose)
	if err != nil {
		return err
	}
	if f.Versions, err = tools.Versions(ctx, f.goList); err != nil {
		return err
	}
	folder, err := explain.Create(f.results, time.Now())
	if err != nil {
		return err
	}
	defer folder.Close()
	k, err := explain.Explain(ctx, tools, f.Options, func(x count.Progress) { p.Step(progressOf(x)) })
	p.End()
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted; memcost why keeps nothing of what is half counted")
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
	return showWhy(a, f, k, folder.Dir)
}

// progressOf says how far counting is.
func progressOf(x count.Progress) string {
	says := x.What
	if x.Of > 0 {
		says += fmt.Sprintf(", %d of %d", x.Done, x.Of)
	}
	if x.Left >= time.Second {
		says += fmt.Sprintf(", about %v left", x.Left.Round(time.Second))
	}
	return says
}
