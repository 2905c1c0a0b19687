package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memcost/internal/front"
	"memcost/internal/hint"
	"memcost/internal/profiling"
)

// profileFlags are the flags of memcost alloc that --profile has a meaning for.
var profileFlags = []string{"profile", "stdin", "rounds", "budget", "json", "verbose", "help"}

// withProfile adds --profile to memcost alloc.
func withProfile(a *front.App, cmd *cobra.Command) *cobra.Command {
	profile, compare := false, cmd.RunE
	cmd.Flags().BoolVar(&profile, "profile", false, "how does the program use malloc: calls, sizes, lifetimes, "+
		"threads; it runs with its calls counted and without (--rounds of each; --budget, by default 20s)")
	cmd.Long += `

--profile counts the program's calls of malloc instead: how many, for which sizes, how long
blocks live, in how many threads, and which parts of the study malloc say something about
this program. What counting costs is measured and printed.`
	cmd.Example += `
  memcost alloc --profile -- ./prog args`
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !profile {
			return compare(cmd, args)
		}
		o, err := profileOptions(cmd)
		if err != nil {
			return err
		}
		return profiling.Profile(cmd.Context(), a, o, args)
	}
	return cmd
}

// profileOptions reads the flags that --profile shares with the comparison.
func profileOptions(cmd *cobra.Command) (o profiling.Options, err error) {
	fl := cmd.Flags()
	fl.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(profileFlags, f.Name) {
			err = hint.Usage("memcost alloc --help lists the flags", "--%s has no meaning beside --profile", f.Name)
		}
	})
	if err != nil {
		return o, err
	}
	o.Stdin, _ = fl.GetString("stdin")
	o.Runs, _ = fl.GetInt("rounds")
	o.Budget, _ = fl.GetDuration("budget")
	o.JSON, _ = fl.GetBool("json")
	o.Verbose, _ = fl.GetBool("verbose")
	return o, nil
}
