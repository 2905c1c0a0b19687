package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/alloctext"
)

// flags are those of memcost alloc as they were given.
type allocFlags struct {
	session.AllocOptions
	margin  string
	seed    uint64
	resume  string
	format  string
	out     string
	json    bool
	long    bool
	open    bool
	verbose bool
	profile bool
	runs    int
}

// Command returns memcost alloc.
func allocCommand(a *App) *cobra.Command {
	var f allocFlags
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
			switch given := Changed(cmd); {
			case f.profile:
				return profile(cmd, a, &f, args)
			case given("runs"):
				return hint.Usage("--rounds is for the comparison of allocators", "--runs is for --profile")
			case given("resume"):
				return resume(cmd, a, &f, args)
			}
			return beginAlloc(cmd, a, &f, args)
		},
	}
	f.register(cmd)
	return cmd
}

func (f *allocFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.SetInterspersed(false) // what stands behind the program is the program's
	fl.StringSliceVar(&f.With, "with", nil, "only these `allocators`, by name or by the file of a library (default: "+
		"all that are installed)")
	fl.StringArrayVar(&f.Vary, "vary", nil, "also with this `setting`: M_ARENA_MAX=1, MALLOC_CONF=narenas:1, "+
		"'LD_PRELOAD=tcmalloc NAME=VALUE' (repeatable)")
	fl.StringVar(&f.Stdin, "stdin", "", "`FILE` that each process reads")
	fl.StringVar(&f.Until, "until", "", "the program is a server: `command` that is its load")
	fl.StringVar(&f.Ready, "ready", "", "`command` that exits with 0 when the server answers (default: the load)")
	fl.StringVar(&f.margin, "margin", "3%", "the `difference` that is worth knowing")
	fl.Float64Var(&f.Alpha, "alpha", plan.Alpha, "error rate of a verdict")
	fl.DurationVar(&f.Budget, "budget", 0, "stop after this time of measuring (default: 2m, or longer where the "+
		"first verdicts take longer)")
	fl.DurationVar(&f.Timeout, "timeout", 0, "a process that takes longer is killed (default: 20 times as long as "+
		"under its own allocator, at least 10s)")
	fl.IntVar(&f.Rounds, "rounds", 0, "take exactly this many rounds (default: until all is decided)")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of every random choice (default: random, recorded)")
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: "+strings.Join(AllocFormats(), ", "))
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`")
	fl.StringVar(&f.Label, "label", "", "`name` of the run, where it is shown")
	fl.StringVar(&f.Results, "results", "results", "make the run folder in `DIR`")
	fl.StringVar(&f.resume, "resume", "", "go on with the run in `DIR`")
	fl.BoolVarP(&f.DryRun, "dry-run", "n", false, "print what would be run, and run nothing")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	fl.BoolVar(&f.profile, "profile", false, "count the program's calls of malloc instead: sizes, lifetimes, "+
		"threads, and what of the study malloc applies to it")
	fl.IntVar(&f.runs, "runs", 0, "with --profile: run it `N` times with counting and without, for what counting "+
		"costs (default: as many as 20s, or --budget, have room for, 4 to 20)")
	fl.BoolVar(&f.json, "json", false, "print the answer as JSON")
	fl.BoolVar(&f.long, "long", false, "print every figure")
	fl.BoolVar(&f.open, "open", false, "open the report in a browser at the end")
	cmd.RegisterFlagCompletionFunc("with", completeAllocators)
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

// check reads what stands in words, and refuses what makes no sense.
func (f *allocFlags) check(given func(string) bool) (err error) {
	for _, n := range []struct {
		flag, say string
		wrong     bool
	}{
		{"alpha", "must be between 0 and 0.5", f.Alpha <= 0 || f.Alpha >= 0.5},
		{"budget", "must be a positive time, like 3m", f.Budget <= 0},
		{"timeout", "must be a positive time, like 1m", f.Timeout <= 0},
		{"rounds", "must be 1 or more", f.Rounds < 1},
		{"ready", "is for servers: --until has none", f.Until == ""},
	} {
		if given(n.flag) && n.wrong {
			return hint.Usage("memcost alloc --help lists the flags", "--%s %s", n.flag, n.say)
		}
	}
	if given("seed") {
		f.Seed = &f.seed
	}
	if f.Margin, err = ParseShare("margin", f.margin); err != nil {
		return err
	}
	f.format, err = ChooseFormat(f.format, f.out, f.json, AllocFormats())
	return err
}

func beginAlloc(cmd *cobra.Command, a *App, f *allocFlags, args []string) error {
	if len(args) == 0 {
		return hint.Usage("memcost alloc -- ./prog args", "memcost alloc needs a program")
	}
	if err := f.check(Changed(cmd)); err != nil {
		return err
	}
	f.Program, f.Origin = args, a.Origin()
	return measureAlloc(cmd.Context(), a, f, func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.BeginAlloc(ctx, t, f.AllocOptions)
	})
}

// resume goes on with a run of memcost alloc.
func resume(cmd *cobra.Command, a *App, f *allocFlags, args []string) error {
	q, err := Resumed(cmd, f.resume, args)
	if err == nil {
		err = f.check(Changed(cmd))
	}
	if err != nil {
		return err
	}
	if q.Comparison == nil || q.Comparison.Alloc == nil {
		return hint.Usage("go on with: memcost run --resume "+f.resume, "run folder %s is not one of memcost alloc",
			f.resume)
	}
	return goOnAlloc(a, cmd, q, f)
}

// profile counts a program's calls of malloc.
func profile(cmd *cobra.Command, a *App, f *allocFlags, args []string) error {
	for _, name := range []string{"with", "vary", "until", "ready", "margin", "alpha", "timeout", "rounds",
		"seed", "format", "output", "label", "results", "resume", "dry-run", "long", "open"} {
		if cmd.Flags().Changed(name) {
			return hint.Usage("--profile takes --stdin, --runs, --budget, --json and -x",
				"--profile runs the program under its own allocator alone: --%s says nothing there", name)
		}
	}
	return profileMalloc(cmd.Context(), a, mallocProfileOptions{Stdin: f.Stdin, Runs: f.runs, Budget: f.Budget,
		JSON: f.json, Verbose: f.verbose}, args)
}

// goOn goes on with a run of memcost alloc, whichever command asks for that.
func goOnAlloc(a *App, cmd *cobra.Command, q *plan.Question, f *allocFlags) (err error) {
	if err := MayChange(cmd, "budget", "rounds", "timeout", "format", "output"); err != nil {
		return err
	}
	if f.format, err = ChooseFormat(f.format, f.out, f.json, AllocFormats()); err != nil {
		return err
	}
	c := session.Changes{Budget: f.Budget, Timeout: f.Timeout, Rounds: f.Rounds}
	return measureAlloc(cmd.Context(), a, f, func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.Resume(ctx, t, f.resume, q, c)
	})
}

// measureAlloc begins a comparison of allocators, or goes on with one, and shows what it says.
func measureAlloc(ctx context.Context, a *App, f *allocFlags,
	begin func(ctx context.Context, t *session.Tools) (*session.Session, error)) error {
	m := measurement{verbose: f.verbose, begin: begin, show: func(s *session.Session) (string, error) {
		return "", a.ShowAlloc(s.Folder.Dir, AllocView{Format: f.format, Out: f.out, Long: f.long, Open: f.open})
	}}
	if f.DryRun {
		m.plan = func(s *session.Session) error { return a.Lines(s.Lines()) }
	}
	return a.measure(ctx, m)
}

// AllocFormats are what memcost alloc can print.
func AllocFormats() []string { return []string{"text", "html", "md", "json"} }

// An AllocView is how the answer of memcost alloc is shown.
type AllocView struct {
	Format, Out string
	Long, Open  bool
}

// ShowAlloc prints what a run of memcost alloc says, and writes its page.
func (a *App) ShowAlloc(dir string, v AllocView) error {
	o, err := ReportOptions("none")
	if err != nil {
		return err
	}
	o.Evidence = true
	ans, err := ReadRun(a, dir, o)
	if err != nil {
		return err
	}
	r, err := compare.Of(ans)
	if err != nil {
		return fmt.Errorf("reading the run in %s: %w", dir, err)
	}
	err = a.Output(v.Out, func(w *Output) error {
		switch v.Format {
		case "json":
			return WriteJSON(w, r)
		case "html":
			return writeHTML(w, []*result.Answer{ans})
		case "md":
			return alloctext.Markdown(w, r)
		}
		return alloctext.Write(w, r, w.Style(a, v.Long))
	})
	if err != nil {
		return err
	}
	a.PageOf(dir, ans, v.Open)
	return nil
}
