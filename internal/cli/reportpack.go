package cli

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/pack"
	"memcost/internal/method/series"
)

// reportPack reports on a pack, or on studies of it.
func reportPack(ctx context.Context, a *App, args []string, f *reportFlags) error {
	switch {
	case f.gate != "":
		return hint.Usage("give --gate the run folders themselves", "--gate compares runs, and %s is a pack", args[0])
	case isSamples(f.format):
		return hint.Usage("any tool that reads Parquet has them: "+filepath.Join(args[0], pack.SamplesDir),
			"--format %s holds the samples of one run, and %s is a pack", f.format, args[0])
	}
	o, err := ReportOptions(f.published)
	if err != nil {
		return err
	}
	f.joined = true
	answers, err := Answers(ctx, a, args[0], args[1:], o)
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
			return slices.DeleteFunc(x.Studies(), func(s string) bool { return s == series.FloorSuite }),
				cobra.ShellCompDirectiveNoFileComp
		}
	}
	return CompleteReport(cmd, args, prefix)
}
