package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/measure/watch"
	"memcost/internal/report/held"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
)

// heldFlags are those of memcost held as they were given.
type heldFlags struct {
	commonFlags
	with   []string
	server plan.Alloc
	held   plan.Held
}

// heldIdle is for how long a program is looked at after its work, where --idle does not say.
const heldIdle = 8 * time.Second

func (f *heldFlags) register(cmd *cobra.Command) {
	cmd.Flags().SetInterspersed(false) // what stands behind the program is the program's
	cmd.Annotations = map[string]string{ownArguments: "true"}
	register(cmd,
		f.output("text", "html", "md", "json").pick("format", "json", "output", "open", "long = print every figure"),
		f.budgets().pick("budget: default: 2m, or longer where the first verdicts take longer; of --pid: until it ends, or Ctrl-C",
			"timeout: default: 20 times as long as it took at first, at least 10s, at most 5m",
			"rounds: default: until all is known or decided", "alpha", "margin"),
		f.sampling().pick("seed"),
		f.sides(nil).pick("vary: M_ARENA_MAX=1, MALLOC_CONF=dirty_decay_ms:0, 'LD_PRELOAD=tcmalloc NAME=VALUE'; repeatable",
			"stdin"),
		f.programs(&f.with, &f.server).pick("with = also under these `allocators`, and their settings that give memory back "+
			"sooner; all: all that are installed", "until", "ready", "exit-status"),
		flags{
			{name: "idle", takes: positive(&f.held.Idle, 100*time.Millisecond), eg: "2s",
				help: "look for so long after the work"},
			{name: "pid", takes: between(&f.held.Process, 1, unlimited), eg: "1234", not: "with until vary resume rounds stdin",
				help: "look at the `process` that runs already, and read only"},
		},
		f.folder().pick("results", "resume", "trust", "label", "dry-run", "verbose"))
}

// heldCommand returns memcost held.
func heldCommand(a *App) *cobra.Command {
	var f heldFlags
	f.Alpha, f.Margin, f.held.Idle = plan.Alpha, session.Margin, heldIdle
	cmd := &cobra.Command{
		Use:   "held [flags] -- PROGRAM [ARG ...]",
		Short: "How much memory does a program hold, for how long, and which setting gives it back?",
		Long: `Runs a program and looks at its memory 200 times a second, that of all processes it
starts included: how much is resident at the peak, and 0.1, 1, 2, 4 and 8 s after the
work; the area under the curve; how long it takes until 90% of the peak is given back.
Each figure is that of several processes, with a 95% confidence interval.

When the work ends is found from what the program does: it is over when its processes use
less than a tenth of a core, wait for none and grow no more. A program that is idle for 8 s (--idle) is
ended by SIGTERM. One that ends by itself has no idle time: its peak, its area and its
time are shown. A server gets its work from --until: its load command, whose end is the end
of the work, as in memcost alloc. memcost held mark idle says it, too.

--with NAME has the program run under other allocators, and with their settings that give
memory back sooner, in turns: each is judged by what stays resident, by its peak and by its
CPU time, and the line to paste is printed with what it costs. --vary adds a setting.

--pid looks at a process that runs already, until it ends or Ctrl-C. It reads /proc and
does nothing else: no process is changed, traced or signalled.

Ctrl-C is safe at any time: what was measured is kept, and --resume goes on with it.
Linux only.`,
		Example: `  memcost held -- ./prog args
  memcost held --until 'redis-benchmark -q -n 100000' -- redis-server --save ''
  memcost held --with jemalloc,glibc -- ./prog args
  memcost held --with all --until ./load.sh -- ./server
  memcost held --rounds 1 --idle 2s -- ./prog args
  memcost held --pid 1234 --budget 1h
  memcost held --resume results/20261121-101530-myhost`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.resume != "":
				return a.resume(cmd, &f.commonFlags, args)
			case f.held.Process != 0:
				return a.watchProcess(cmd.Context(), &f, args)
			case len(args) == 0:
				return hint.Usage("memcost held -- ./prog args, or memcost held --pid PID", "memcost held needs a program")
			}
			m := holders(a, &f.commonFlags)
			f.server.Held = &f.held
			f.Origin, f.Args, f.Alloc = a.Origin(), args, &f.server
			m.begin = func(ctx context.Context, t *session.Tools) (*session.Session, error) {
				return session.BeginAlloc(ctx, t, f.Options, f.with)
			}
			return a.measure(cmd.Context(), m)
		},
	}
	f.register(cmd)
	cmd.AddCommand(markCommand())
	return cmd
}

// markCommand returns memcost held mark.
func markCommand() *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:   "mark NAME",
		Short: "Name this instant in the curve that memcost held takes now",
		Long: `Names this instant in the curve that memcost held takes now: of the run that started this
process, or of the run in the folder of --in. The mark "idle" says that the work is over.`,
		Example: `  memcost held mark loaded
  memcost held mark idle --in results/20261121-101530-myhost`,
		Args: needs(true, "name", "for example: memcost held mark loaded"),
		RunE: func(_ *cobra.Command, args []string) error { return watch.Send(dir, args[0]) },
	}
	register(cmd, flags{{name: "in", takes: word(&dir), offers: folders, eg: "results/20261121-101530-myhost",
		help: "the run `folder`", more: "default: of the run that this process belongs to"}})
	return cmd
}

// holders is the measurement of a program's memory over time.
func holders(a *App, f *commonFlags) measurement {
	return measurement{flags: f,
		plan: func(s *session.Session) error { return a.Lines(s.Lines()) },
		show: func(s *session.Session) (string, error) { return "", f.showHeld(a, s.Folder.Dir) }}
}

// showHeld shows what a run folder says of a program's memory over time.
func (f *commonFlags) showHeld(a *App, dir string) error {
	ans, err := result.Read(dir, reportOptions("none", true))
	if err != nil {
		return err
	}
	r, err := held.Of(ans)
	if err != nil {
		return fmt.Errorf("reading the run in %s: %w", dir, err)
	}
	return f.showFolder(a, saidOfHeld(r), dir, "memcost report")
}

// saidOfHeld is what is said of a program's memory over time.
func saidOfHeld(r *held.Report) said {
	return said{json: r, document: r.Document,
		text: func(w io.Writer, s terminal.Style) error { return terminal.Write(w, r.Document(), s.Screen()) }}
}

// watchProcess looks at a process that runs already.
func (a *App) watchProcess(ctx context.Context, f *heldFlags, args []string) error {
	if len(args) > 0 {
		return hint.Usage("leave either of them out", "--pid %d looks at a process that runs, and takes no program beside it: %q",
			f.held.Process, args)
	}
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	f.Origin = a.Origin()
	f.server.Held = &f.held
	f.Alloc = &f.server
	dir, why, err := session.WatchProcess(ctx, t, f.Options)
	if err != nil || f.DryRun {
		return err
	}
	t.Log.End()
	if err := f.showHeld(a, dir); err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "stopped: %s\n", why)
	return nil
}
