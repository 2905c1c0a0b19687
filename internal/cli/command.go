// Package comparing is the command memcost compare: what its arguments and flags mean, the ways to
// measure, what is shown of a comparison, and what closes its gate.
package cli

import (
	"context"

	"memcost/internal/measure/session"

	"github.com/spf13/cobra"
)

func compareCommand(a *App) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare OLD NEW [PACKAGE ...]",
		Short: "Did this change matter? Commits, toolchains, settings, commands",
		Long: `Compares two sides of Go benchmarks, and says of each benchmark whether the change
matters: changed, equivalent (within --margin), or undecided when the time is over.

A side is a revision of git (HEAD~1, main, v1.2; "." is the files as they lie), a
toolchain (go1.25.4, go1.25), a setting of the environment (GOGC=off), a build flag
(-gcflags=-l, -pgo=cpu.pprof), or several of them in quotes: 'HEAD~1 GOGC=off'. What a
side does not name is as it lies here: the files, the local Go. One side alone is
compared with the files as they lie: a revision or a toolchain as OLD, a setting or a
flag as NEW. Further sides are each compared with the first.

A PACKAGE is a pattern of Go packages (./..., ./codec, example.com/m/codec) or a shipped
study; without one it is the package of the current folder. The first two arguments are
sides; a further one is a package if it begins with a dot or a slash, contains ..., or is
an import path or the name of a study. Flags of the test binary stand behind --.

Revisions are checked out in a folder of memcost's cache, with their submodules; the
repository and its index are not touched. All sides are built before anything is timed;
further random links of them come with the rounds.
Benchmarks that stand on one side only are listed, and not measured.

With --command the sides are command lines, or one of them and settings for it: the time
of a process, its CPU time, the peak of its memory, its page faults and context switches
are compared, its exit status is checked, and a different output is warned of. A command
without quotes, pipes and variables of a shell is started without one. Test binaries
(go test -c) and programs on Google Benchmark can be sides as they are; before the study
malloc, settings of malloc are (M_TOP_PAD=0, LD_PRELOAD=libjemalloc.so.2).

Samples are taken in rounds, the sides next to each other in random order, until each
benchmark is decided: a minute for each benchmark, and half an hour for all of them at
most, unless their first verdicts take longer (--budget). Ctrl-C is safe at any time:
what was measured is kept, and --resume goes on with it.

--each searches the commits of a range, and --go releases of Go, for those that changed a
benchmark: by halving, so that 1,000 commits take about 13 builds for one change. Without
--each and --go, sides may be run folders and files of benchmark results, which were not
measured in turns: a weaker statement.`,
		Example: `  memcost compare HEAD~1 .             the last commit but one, and the files as they lie
  memcost compare main . ./codec -b Decode --margin 2%
  memcost compare go1.25.4 go1.26.8 ./...
  memcost compare GOGC=off             the same files, with a setting
  memcost compare v1.2 'HEAD -pgo=cpu.pprof' ./codec
  memcost compare main . ./codec --gate -- -size=100
  memcost compare --command './old args' './new args'
  memcost compare --command 'sqlite3 :memory: < load.sql' LD_PRELOAD=libjemalloc.so.2
  memcost compare ./old.test ./new.test -b Decode
  memcost compare M_TRIM_THRESHOLD=0 malloc
  memcost compare --each v1.2..HEAD ./codec -b Decode
  memcost compare --go all ./codec
  memcost compare old.txt new.txt
  memcost compare --resume results/20261121-101530-myhost`,
		ValidArgsFunction: completeSides,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, f.testArgs = args[:at], args[at:]
			}
			if IsHistory(f.resume) {
				if err := MayChange(cmd, "budget", "timeout", "format", "output"); err != nil {
					return err
				}
				return resumeHistory(cmd.Context(), a, &f, Changed(cmd))
			}
			if cmd.Flags().Changed("resume") {
				return resumeComparison(cmd, a, &f, args)
			}
			return compareSides(cmd.Context(), a, &f, args, Changed(cmd))
		},
	}
	f.register(cmd)
	return cmd
}

// compare is the way to the four kinds of comparisons.
func compareSides(ctx context.Context, a *App, f *compareFlags, args []string, given func(string) bool) error {
	if err := f.checkShow(); err != nil {
		return err
	}
	switch malloc, ok := session.OfMalloc(args); {
	case f.command:
		return compareCommands(ctx, a, f, args, given)
	case ok:
		return compareReady(ctx, a, f, malloc, given)
	case session.AllPrograms(args):
		return compareReady(ctx, a, f, session.Programs{Files: args}, given)
	case f.each != "" || f.goList != "":
		return compareHistory(ctx, a, f, args, given)
	case anyRecorded(args):
		return compareRecorded(a, f, args, given)
	}
	return comparingCompareSides(ctx, a, f, args, given)
}
