package cli

import (
	"github.com/spf13/cobra"

	"memcost/internal/measure/session"
)

func limitsCommand(a *App) *cobra.Command {
	f := searchFlags{kind: session.Limits}
	f.Go = "local"
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "What the compiler and the runtime keep on the stack, found by trying, by Go version",
		Long: `Finds, for each Go version, what stays on the goroutine stack and what the stack
itself can do: how large a variable, a new, a make or a string may be, how deep a
recursion goes, how stacks start, grow and shrink.

Nothing is taken from a table. What the compiler decides is found by compiling many
sizes, reading its diagnostics and counting allocations; where the two disagree, the
count is taken. What the runtime decides is found with child processes, some of which
overflow their stack. That takes 1.5 GiB of memory for a moment; on a machine with less,
this limit is not tried.

--go all takes the last release of each minor version from 1.13 on. A toolchain that
is not there yet is downloaded, used and removed again, one at a time, unless
--keep-toolchains. Ctrl-C is safe at any time: --resume goes on.`,
		Example: `  memcost limits
  memcost limits --go 1.13,1.23,1.24,1.27
  memcost limits --go all
  memcost limits --only 'explicit|make' --long     and by what evidence
  memcost limits --resume results/20261121-101530-myhost`,
		Args: maxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error { return beginSearch(a, cmd, &f) },
	}
	f.register(cmd, f.sides(nil).pick("go"), flags{
		{name: "only", takes: checked(&f.Bench, regular), eg: "'explicit|make'",
			help: "only the limits whose name matches the regular expression (-n lists them)"},
		{name: "keep-toolchains", takes: toggle(&f.keep),
			help: "download toolchains to the module cache, and leave them there"},
	})
	return cmd
}
