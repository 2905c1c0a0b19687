package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
)

// allocFlags are those of memcost alloc as they were given.
type allocFlags struct {
	commonFlags
	with    []string
	server  plan.Alloc // its load
	profile bool
	runs    int
}

func (f *allocFlags) register(cmd *cobra.Command) {
	cmd.Flags().SetInterspersed(false) // what stands behind the program is the program's
	cmd.Annotations = map[string]string{ownArguments: "true"}
	register(cmd,
		f.output("text", "html", "md", "json").pick("format", "json", "output", "open", "long = print every figure"),
		f.budgets().pick("budget: default: 2m, or longer where the first verdicts take longer",
			"timeout: default: 20 times as long as under its own allocator, at least 10s",
			"rounds: default: until all is decided", "alpha", "margin"),
		f.sampling().pick("seed"),
		f.sides(nil).pick("vary: M_ARENA_MAX=1, MALLOC_CONF=narenas:1, 'LD_PRELOAD=tcmalloc NAME=VALUE'; repeatable",
			"stdin"),
		f.folder().pick("results", "resume", "trust", "label", "dry-run", "verbose"),
		f.programs(&f.with, &f.server).pick("with: default: all that are installed", "until", "ready", "exit-status"),
		flags{
			{name: "profile", takes: toggle(&f.profile), help: "count the program's calls of malloc instead: sizes, " +
				"lifetimes, threads, and what of the study malloc applies to it"},
			{name: "runs", takes: between(&f.runs, 1, unlimited), needs: "profile", eg: "6", help: "run it `N` times with " +
				"counting and without, for what counting costs", more: "default: as many as 20s, or --budget, have room for, 4 to 20"},
		})
}

// Command returns memcost alloc.
func allocCommand(a *App) *cobra.Command {
	var f allocFlags
	f.Alpha, f.Margin = plan.Alpha, session.Margin
	cmd := &cobra.Command{
		Use:   "alloc [flags] -- PROGRAM [ARG ...]",
		Short: "Which allocator, and which settings, for my program?",
		Long: `Runs a program under each allocator that is installed (glibc, jemalloc, mimalloc,
tcmalloc, tbb, scudo and others), and says which of them takes less CPU time, wall time or
memory: each ratio to the program's own allocator with a 95% confidence interval, each
allocator with a verdict, and one sentence.

Each process is a fresh one; the allocators take turns in random order. Before that, each
is tried once: one that is not loaded (a static or setuid program, another architecture,
an allocator linked in) is named with the reason. What the program prints and how it ends
is compared with its own allocator: where that differs, the allocator is INVALID and in no
verdict. Where the program's own output differs between two runs, only how it ends is
compared.

--vary adds a setting: parameters of mallopt (M_ARENA_MAX=1), GLIBC_TUNABLES, variables of
an allocator (MALLOC_CONF=narenas:1 is run under jemalloc), any other variable, or several
of them in quotes, with LD_PRELOAD=NAME for the allocator.

A server does not end by itself: with --until it is started, and the load command is run
again and again until it exits with status 0. That run is the load: its wall time, and the
CPU time and memory of the server, are compared; then the server is ended by SIGTERM. A
load that can succeed too early needs --ready, a command that exits with 0 when the server
answers.

With --profile the program is run under its own allocator alone, with its calls counted
and without: how many there are in a second, of which sizes, how long blocks live, which
are freed by another thread, and what of the study malloc applies to it.

Ctrl-C is safe at any time: what was measured is kept, and --resume goes on with it.
Linux only: allocators are loaded with LD_PRELOAD.`,
		Example: `  memcost alloc -- sqlite3 :memory: '.read load.sql'
  memcost alloc --with jemalloc,mimalloc --stdin big.json -- jq length
  memcost alloc --vary M_ARENA_MAX=1 --vary MALLOC_CONF=narenas:1 -- ./prog
  memcost alloc --with /opt/lib/libmine.so --budget 5m -- ./prog args
  memcost alloc --until 'redis-benchmark -q -n 100000' -- redis-server --save ''
  memcost alloc --profile -- ./prog args
  memcost alloc --resume results/20261121-101530-myhost`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.profile:
				return profileCalls(cmd, a, &f, args)
			case f.resume != "":
				return a.resume(cmd, &f.commonFlags, args)
			case len(args) == 0:
				return hint.Usage("memcost alloc -- ./prog args", "memcost alloc needs a program")
			}
			m := allocators(a, &f.commonFlags)
			f.Origin, f.Args, f.Alloc = a.Origin(), args, &f.server
			m.begin = func(ctx context.Context, t *session.Tools) (*session.Session, error) {
				return session.BeginAlloc(ctx, t, f.Options, f.with)
			}
			return a.measure(cmd.Context(), m)
		},
	}
	f.register(cmd)
	return cmd
}

// completeAllocators completes the last name of a list: those that are installed.
func completeAllocators(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	before := prefix[:strings.LastIndexByte(prefix, ',')+1]
	var out []string
	for _, c := range allocator.Installed() {
		if !slices.Contains(strings.Split(before, ","), c.Name) {
			out = append(out, before+c.Name+"\t"+c.Library)
		}
	}
	return out, cobra.ShellCompDirectiveNoSpace
}

// profileCalls counts a program's calls of malloc.
func profileCalls(cmd *cobra.Command, a *App, f *allocFlags, args []string) error {
	takes := []string{"profile", "stdin", "runs", "budget", "json", "verbose"}
	if err := refuse(cmd, func(f *flag) bool { return !slices.Contains(takes, f.long()) },
		"--profile takes --stdin, --runs, --budget, --json and -x",
		"says nothing where --profile runs the program under its own allocator alone"); err != nil {
		return err
	}
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	f.Args = args
	spooled, err := os.MkdirTemp("", "memcost-stdin-")
	if err != nil {
		return fmt.Errorf("making a folder for standard input: %w", err)
	}
	defer os.RemoveAll(spooled)
	if f.Options.Stdin, err = t.SpoolStdin(cmd.Context(), f.Options.Stdin, a.Stdin, spooled); err != nil {
		return err
	}
	use, err := session.CountCalls(cmd.Context(), t, f.Options, f.runs)
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return session.Stopped("nothing is kept of a program whose calls are half counted")
	case err != nil:
		return err
	}
	t.Log.End()
	return f.show(a, said{json: use, text: func(w io.Writer, s terminal.Style) error {
		return terminal.Write(w, use.Document(), s.Screen())
	}})
}

// allocators is the measurement of a program under several allocators.
func allocators(a *App, f *commonFlags) measurement {
	return measurement{flags: f,
		plan: func(s *session.Session) error { return a.Lines(s.Lines()) },
		show: func(s *session.Session) (string, error) {
			ans, err := result.Read(s.Folder.Dir, reportOptions("none", true))
			if err != nil {
				return "", err
			}
			r, err := compare.Of(ans)
			if err != nil {
				return "", fmt.Errorf("reading the run in %s: %w", s.Folder.Dir, err)
			}
			return "", f.showFolder(a, saidOfAlloc(r, ans), s.Folder.Dir, "memcost report")
		}}
}
