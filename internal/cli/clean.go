package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/base/units"
)

func cleanCommand(a *App) *cobra.Command {
	var all bool
	var f commonFlags
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Removes built binaries and downloaded toolchains from the cache",
		Long: fmt.Sprintf(`memcost keeps the binaries that it builds, and the toolchains that memcost limits
downloads, in a cache: the folder memcost in your cache folder, or MEMCOST_CACHE.
Everything in it can be made again.

A run that starts removes what has not been used for 30 days, and then what was
used least recently until %s are left. It removes nothing while another
memcost runs. memcost clean does the same now, and memcost clean --all removes
everything. Run folders are not in the cache: they are yours.`, fmt.Sprint(cache.Limit>>30, " GiB")),
		Example: `  memcost clean          what is old, and what is above the limit
  memcost clean --all    everything
  memcost clean -n       only says what would go`,
		Args: maxArgs(0),
		RunE: func(*cobra.Command, []string) error { return clean(a, all, f.DryRun) },
	}
	register(cmd, flags{{name: "all", takes: toggle(&all), help: "remove everything, whatever its size and age"}},
		f.folder().pick("dry-run = remove nothing; say how much would be freed"))
	return cmd
}

func clean(a *App, all, dryRun bool) error {
	dir, err := cache.Dir()
	if err != nil {
		return hint.With("set HOME or XDG_CACHE_HOME", fmt.Errorf("finding the cache: %w", err))
	}
	freed, err := cache.Clean(dir, all, dryRun, time.Now())
	switch {
	case errors.Is(err, cache.ErrInUse):
		return hint.With("wait until it has ended", fmt.Errorf("cleaning %s: %w", dir, err))
	case err != nil:
		return fmt.Errorf("cleaning: %w", err)
	}
	did := "Freed"
	if dryRun {
		did = "Would free"
	}
	fmt.Fprintf(a.Stdout, "%s %s: %s\n", did, units.Bytes(freed.Bytes), what(freed))
	fmt.Fprintf(a.Stdout, "%s stay in %s\n", units.Bytes(freed.KeptBytes), dir)
	if freed.Failed != nil {
		return fmt.Errorf("cleaning %s: not everything could be removed: %w", dir, freed.Failed)
	}
	return nil
}

// what names the things that were removed.
func what(f cache.Freed) string {
	return fmt.Sprintf("built binaries %d, toolchains %d, other folders %d",
		f.Binaries, f.Downloads, f.Entries-f.Binaries-f.Downloads)
}
