package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/malloc/latency"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

func mallocCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "malloc",
		Short: "The slowest calls of malloc and free, and the sizes where malloc changes what it does",
		Long: `Two searches with the program of the study malloc, under glibc, its settings and every
other allocator that is installed. What malloc and free cost on average, by size, is
measured by: memcost run malloc`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return hint.Usage("memcost malloc latency, memcost malloc cliffs; mean costs: memcost run malloc",
				"there is no command %q", "malloc "+args[0])
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(latencyCommand(a), cliffsCommand(a))
	return cmd
}

func latencyCommand(a *App) *cobra.Command {
	f := searchFlags{SearchOptions: session.SearchOptions{Kind: session.Latency}}
	var quick, full bool
	var only string
	use := useFlags{}
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "The slowest calls and their causes, threads, and memory; which settings keep a real-time limit",
		Long: `Runs malloc and free many times under each allocator and setting, keeps the slowest
calls, and says what held each of them up: a page fault, a system call, an interrupt,
another process, the host. Measures how operations scale with threads, and how much
memory stays resident.

With --rt each setting is judged: it is fit when no call has a page fault, and none takes
longer than the given time because of the allocator. That depends on how blocks are used,
so that a setting is judged in situations:
  first    first use: no warm-up, one block alive
  one      one block: after warm-up, one block alive
  filling  the live set fills: no warm-up, blocks up to --live bytes, freed in random order
  live     live set: the same after warm-up
  threads  the same in --threads threads
What is fit in each of them is printed as lines of C to paste, with the memory it costs.
The longest call is the longest that was observed; a longer one may come. With every
setting that takes about four minutes.

Ctrl-C is safe at any time: the processes that have ended are kept, and --resume goes on.`,
		Example: `  memcost malloc latency
  memcost malloc latency --rt 20us
  memcost malloc latency --rt 20us --live 16MiB --situation first,live
  memcost malloc latency --rt 20us --gate --vary 'M_MMAP_MAX=0 M_TRIM_THRESHOLD=2147483647 --prefault=256MiB'
  memcost malloc latency -b setting=default            under every allocator
  memcost malloc latency --vary M_TOP_PAD=0 --vary LD_PRELOAD=/opt/lib/mine.so`,
		Args: MaxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.Profile, err = Profile(quick, full); err != nil {
				return err
			}
			given := Changed(cmd)
			switch {
			case given("rt") && f.Limit <= 0:
				return hint.Usage("for example --rt 20us", "--rt must be a positive time")
			case given("rt"):
				if f.Use, err = use.read(); err != nil {
					return err
				}
			case given("live") || given("threads") || given("situation") || given("warmup"):
				return hint.Usage("add the limit of a call: --rt 20us",
					"--live, --threads, --situation and --warmup say how a setting is judged, and none is")
			}
			switch {
			case given("timeout") && f.Timeout <= 0:
				return hint.Usage("for example --timeout 5m", "--timeout must be a positive time")
			case only != "" && only != "published":
				return hint.Usage("--only published", "--only %q: unknown", only)
			}
			f.Published = only != ""
			return beginSearch(a, cmd, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.Names, "bench", "b", "",
		"run only the settings that match the regular expression: setting=default")
	fl.DurationVar(&f.Limit, "rt", 0, "judge each setting for real time: no page fault and no call longer than this "+
		"`TIME`")
	use.register(cmd)
	fl.BoolVar(&quick, "quick", false, "the quick profile (the default): 100,000 calls of the small sizes")
	fl.BoolVar(&full, "full", false, "the full profile: 10,000,000 calls of the small sizes, and every setting")
	fl.StringArrayVar(&f.Vary, "vary", nil, "measure your own `setting` and the default one instead of the study's: "+
		"M_TOP_PAD=0, LD_PRELOAD=FILE, -L, --prefault=256MiB, or NAME=VALUE (repeatable)")
	fl.StringVar(&only, "only", "", "published: leave our own settings and the other allocators out")
	fl.DurationVar(&f.Timeout, "timeout", 0, "end a process that takes longer (default: 1m, with --full 10m)")
	f.register(cmd)
	return cmd
}

// cliffRange is what memcost malloc cliffs searches unless it is told otherwise.
const cliffRange = "8-67108864"

func cliffsCommand(a *App) *cobra.Command {
	f := searchFlags{SearchOptions: session.SearchOptions{Kind: session.Cliffs}}
	var sizes string
	cmd := &cobra.Command{
		Use:   "cliffs",
		Short: "The block sizes at which malloc changes what it does, and why",
		Long: `Finds, for each allocator and setting, the block sizes at which something changes: a
block leaves the thread cache, grows the heap, is mapped on its own, is given back at
each free. Each is found by trying sizes, and compared with what glibc's rules predict.

Ctrl-C is safe: the settings that have been searched to their end are kept, and --resume
goes on with the others. A setting takes about a minute.`,
		Example: `  memcost malloc cliffs
  memcost malloc cliffs --range 8-262144 -b setting=default`,
		Args: MaxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.Smallest, f.Largest, err = parseRange(sizes); err != nil {
				return err
			}
			return beginSearch(a, cmd, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&sizes, "range", cliffRange, "block sizes to search, as `FROM-TO`: 8-262144, 8KiB-64KiB")
	fl.StringVarP(&f.Names, "bench", "b", "",
		"search only the settings that match the regular expression: setting=default")
	f.register(cmd)
	return cmd
}

// parseRange reads "8-67108864" and "8KiB-64MiB".
func parseRange(text string) (smallest, largest int64, err error) {
	a, b, ok := strings.Cut(text, "-")
	smallest, errA := units.ReadBytes(a)
	largest, errB := units.ReadBytes(b)
	if !ok || errA != nil || errB != nil || smallest < 8 || largest < smallest || largest > 1<<40 {
		return 0, 0, hint.Usage("for example --range 8KiB-64KiB; without it, "+cliffRange,
			"--range %s: not a range of block sizes in bytes from 8 on", text)
	}
	return smallest, largest, nil
}

// useFlags say how blocks are used while settings are judged for real time.
type useFlags struct {
	live       string
	threads    int
	warmup     int64
	situations []string
}

func (f *useFlags) register(cmd *cobra.Command) {
	u := latency.DefaultUse()
	fl := cmd.Flags()
	fl.StringVar(&f.live, "live", "64MiB", "with --rt: keep up to so many `BYTES` alive, in at most 65,536 blocks")
	fl.IntVar(&f.threads, "threads", u.Threads, "with --rt: `N` threads in the situation of that name")
	fl.Int64Var(&f.warmup, "warmup", u.Warmup, "with --rt: `N` untimed calls of one block before the timed ones "+
		"(default: a tenth of these, at most 1,000)")
	fl.Lookup("warmup").DefValue = ""
	fl.StringSliceVar(&f.situations, "situation", u.Situations, "with --rt: judge in these situations: "+
		strings.Join(u.Situations, ", "))
	cmd.RegisterFlagCompletionFunc("situation", cobra.FixedCompletions(u.Situations,
		cobra.ShellCompDirectiveNoFileComp))
}

// read checks the flags, before anything is built.
func (f *useFlags) read() (*plan.Use, error) {
	u := &plan.Use{Threads: f.threads, Warmup: f.warmup, Situations: f.situations}
	var err error
	if u.Live, err = units.ReadBytes(f.live); err != nil || u.Live < 1 {
		return nil, hint.Usage("for example --live 64MiB", "--live %s: no number of bytes", f.live)
	}
	const most = 64 // as many as the program starts
	if f.threads < 2 || f.threads > most {
		return nil, hint.Usage("the other situations are of one thread", "--threads %d: 2 to %d", f.threads, most)
	}
	if bad := latency.CheckSituations(f.situations); bad != "" {
		advice := "there are: " + strings.Join(latency.Situations(), ", ")
		if near := hint.Nearest(bad, latency.Situations()); near != "" {
			advice = "did you mean " + near + "? " + advice
		}
		return nil, hint.Usage(advice, "--situation %s: there is no such situation", bad)
	}
	return u, nil
}
