package cli

import (
	"github.com/spf13/cobra"

	"memcost/internal/front"
	"memcost/internal/profiling"
)

// allocProfileCommand profiles a program's calls of malloc.
func allocProfileCommand(a *front.App) *cobra.Command {
	var o profiling.Options
	cmd := &cobra.Command{
		Use:     "alloc-profile [flags] -- PROGRAM [ARGUMENT ...]",
		Short:   "How a program uses malloc: calls, sizes, lifetimes, threads",
		Example: "  memcost alloc-profile -- ./prog --input data",
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return profiling.Profile(cmd.Context(), a, o, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.Stdin, "stdin", "", "give the program `FILE` as its standard input (default: empty)")
	fl.IntVar(&o.Runs, "runs", 0, "run it so many times with counting and without, for what counting costs "+
		"(default: as many as the budget has room for, 4 to 20)")
	fl.DurationVar(&o.Budget, "budget", 0, "how long these runs may take (default 20s)")
	fl.BoolVar(&o.JSON, "json", false, "print the profile as JSON")
	fl.BoolVarP(&o.Verbose, "verbose", "x", false, "print every command to standard error")
	return cmd
}
