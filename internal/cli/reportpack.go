package cli

import (
	"context"
	"path/filepath"

	"memcost/internal/front"
	"memcost/internal/hint"
	"memcost/internal/pack"
	"memcost/internal/packing"
)

// reportPack reports on a pack, or on studies of it.
func reportPack(ctx context.Context, a *front.App, args []string, f *reportFlags) error {
	switch {
	case f.gate != "":
		return hint.Usage("give --gate the run folders themselves", "--gate compares runs, and %s is a pack", args[0])
	case isSamples(f.format):
		return hint.Usage("any tool that reads Parquet has them: "+filepath.Join(args[0], pack.SamplesDir),
			"--format %s holds the samples of one run, and %s is a pack", f.format, args[0])
	}
	o, err := front.ReportOptions(f.published)
	if err != nil {
		return err
	}
	f.joined = true
	answers, err := packing.Answers(ctx, a, args[0], args[1:], o)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		return shownStudies(a, answers, f)
	}
	return shown(a, args[:1], answers, f)
}
