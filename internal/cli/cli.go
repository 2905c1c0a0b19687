// Package cli is the front door: commands, flags, what is written where, and
// the exit status.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/session"
	"memcost/internal/report/compare"

	"github.com/spf13/cobra"
)

// The exit statuses.
const (
	statusDone        = 0
	statusFailed      = 1   // the tool could not do what was asked
	statusUsage       = 2   // what was asked makes no sense
	statusFinding     = 3   // --gate: a claim failed
	statusUnmeasured  = 4   // too little was measured to say: too few rounds, or (--complete) missing shards
	statusInterrupted = 130 // as a shell says it of SIGINT
)

// Version of memcost.
const Version = "0.1.0"

// release is the version of a build by make dist or make install, which the linker
// writes here (-X); "" for every other build.
var release string

func version() string { return cmp.Or(release, Version) }

// Interrupted returns a context that ends when the user or the system asks memcost to: what was measured is kept then,
// also where the terminal is closed. Under nohup it stays deaf to that.
func Interrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}

// Main runs memcost and returns its exit status.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &App{Version: version(), Args: args, Stdin: stdin, Stdout: stdout, Stderr: stderr}
	root := rootCommand(a)
	if len(args) > 0 && args[0] == "compare" {
		args = source.Shield(args) // -gcflags=-l is a side
	}
	args = compare.Join(args)
	if cmd, rest, err := root.Find(args); err == nil {
		if err := oneHyphen(cmd, rest); err != nil {
			return status(a, err)
		}
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return status(a, root.ExecuteContext(ctx))
}

func status(a *App, err error) int {
	switch {
	case err == nil:
		return statusDone
	case isFinding(err):
		fmt.Fprintln(a.Stderr, "memcost:", err)
		return statusFinding
	case errors.Is(err, errUnmeasured):
		fmt.Fprintln(a.Stderr, "memcost:", err)
		return statusUnmeasured
	}
	text, hints := hint.Split(err)
	fmt.Fprintln(a.Stderr, "memcost:", strings.TrimRight(text, "\n"))
	for _, advice := range hints {
		fmt.Fprintln(a.Stderr, "hint:", advice)
	}
	switch {
	case errors.Is(err, errIncomplete):
		return statusUnmeasured
	case errors.As(err, new(*session.Interruption)):
		return statusInterrupted
	case hint.IsUsage(err):
		return statusUsage
	}
	return statusFailed
}

// isFinding reports whether an error is something that was found, and no failure.
func isFinding(err error) bool {
	for _, x := range []error{errFinding, errLimit, errGate, errClosed, errUncertified} {
		if errors.Is(err, x) {
			return true
		}
	}
	return false
}

// Commands returns the tree of commands, for what is made from it: man pages,
// completions, tests of the documentation. It is not for running.
func Commands() *cobra.Command {
	a := &App{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
	return rootCommand(a)
}

func rootCommand(a *App) *cobra.Command {
	root := &cobra.Command{
		Use:   "memcost",
		Short: "What does memory cost here?",
		Long: `memcost measures what allocating and moving memory costs on this machine, and
re-tests what others concluded about it, with an error rate that it can state.

Results go to standard output, progress and warnings to standard error.
Exit status: 0 done, 1 the tool failed, 2 wrong usage, 3 a finding (--gate, certify),
4 too little was measured to say, 130 interrupted.`,
		Example: `  memcost run                          every shipped study, quick profile
  memcost run stackheap --go 1.25.4,1.27.4
  memcost run ./... -b Decode          the benchmarks of your own module
  memcost malloc latency --rt 20us     which settings of malloc keep a limit of 20 µs?
  memcost doctor                       is this machine fit to measure on?
  memcost certify --quick              how often is memcost wrong here?`,
		Version:       version(),
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
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(runCommand(a), compareCommand(a), allocCommand(a), heldCommand(a), whyCommand(a), reportCommand(a),
		planCommand(a), submitCommand(a), statusCommand(a), packCommand(a), mallocCommand(a),
		limitsCommand(a), stackCommand(a), traceCommand(a), listCommand(a), newCommand(a), doctorCommand(a),
		certifyCommand(a), cleanCommand(a))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if found, _, err := root.Find(args); err != nil || found == root && len(args) > 0 {
					return hint.Usage("memcost --help lists the commands", "there is no command %q",
						strings.Join(args, " "))
				}
				return nil
			}
		case "completion":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if len(args) > 0 {
					return hint.Usage("memcost completion bash, fish, powershell or zsh",
						"completion for %q is not made", args[0])
				}
				return nil
			}
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}
