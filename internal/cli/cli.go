// Package cli is the front door: commands, flags, what is written where, and
// the exit status.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"memcost/internal/hint"
	"memcost/internal/run"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Version of memcost.
const Version = "0.1.0"

// release is the version of a build by make dist or make install, which the linker
// writes here (-X); "" for every other build.
var release string

// The exit statuses.
const (
	statusDone    = 0
	statusFailed  = 1 // the tool could not do what was asked
	statusUsage   = 2 // what was asked makes no sense
	statusFinding = 3 // --gate: a claim failed
)

// app is what every command needs.
type app struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// Main runs memcost and returns its exit status.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{args, stdin, stdout, stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return a.status(root.ExecuteContext(ctx))
}

func (a *app) status(err error) int {
	switch {
	case err == nil:
		return statusDone
	case errors.Is(err, errFinding), errors.Is(err, errGate):
		fmt.Fprintln(a.stderr, "memcost:", err)
		return statusFinding
	}
	text, hints := hint.Split(err)
	fmt.Fprintln(a.stderr, "memcost:", strings.TrimRight(text, "\n"))
	for _, advice := range hints {
		fmt.Fprintln(a.stderr, "hint:", advice)
	}
	if hint.IsUsage(err) {
		return statusUsage
	}
	return statusFailed
}

// origin says who begins a run.
func (a *app) origin() run.Origin {
	return run.Origin{Version: cmp.Or(release, Version), Command: append([]string{"memcost"}, a.args...)}
}

// tools returns what builds and runs programs, telling p how that goes.
func (a *app) tools(p *progress, verbose bool) (*run.Tools, error) {
	var trace io.Writer
	if verbose {
		trace = a.stderr
	}
	return run.NewTools(run.Log{Note: p.note, Step: p.step, Sample: p.sample}, trace)
}

// Commands returns the tree of commands, for what is made from it: man pages,
// completions, tests of the documentation. It is not for running.
func Commands() *cobra.Command {
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	return a.root()
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "memcost",
		Short: "What does memory cost here?",
		Long: `memcost measures what allocating and moving memory costs on this machine, and
re-tests what others concluded about it, with an error rate that it can state.

Results go to standard output, progress and warnings to standard error.
Exit status: 0 done, 1 the tool failed, 2 wrong usage, 3 a finding (--gate).`,
		Example: `  memcost run                          every shipped study, quick profile
  memcost run stackheap --go 1.25.4,1.27.4
  memcost run ./... -b Decode          the benchmarks of your own module
  memcost malloc latency --rt 20us     which settings of malloc are fit for real time?
  memcost doctor                       is this machine fit to measure on?`,
		Version:       cmp.Or(release, Version),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			advice := "memcost --help lists the commands"
			if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
				advice = "did you mean: memcost " + strings.Join(s, ", memcost ") + "?"
			}
			return hint.Usage(advice, "unknown command %q", args[0])
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return hint.Usage(fmt.Sprintf("%s --help lists the flags", cmd.CommandPath()), "%w", err)
	})
	root.AddCommand(a.runCommand(), a.reportCommand(), a.mallocCommand(), a.limitsCommand(), a.stackCommand(), a.traceCommand(), a.listCommand(), a.doctorCommand(),
		a.cleanCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if found, _, err := root.Find(args); err != nil || found == root && len(args) > 0 {
					return hint.Usage("memcost --help lists the commands", "there is no command %q", strings.Join(args, " "))
				}
				return nil
			}
		case "completion":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if len(args) > 0 {
					return hint.Usage("memcost completion bash, fish, powershell or zsh", "completion for %q is not made", args[0])
				}
				return nil
			}
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// isTerminal reports whether w is a terminal, and its width.
func isTerminal(w io.Writer) (bool, int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return true, width
}

// useColor follows no-color.org: colours on a terminal only, and not when
// NO_COLOR is set to anything.
func useColor(w io.Writer) bool {
	tty, _ := isTerminal(w)
	return tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
