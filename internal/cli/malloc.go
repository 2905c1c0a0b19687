package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/front"
	"memcost/internal/hint"
	"memcost/internal/run"
)

func mallocCommand(a *front.App) *cobra.Command {
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

func latencyCommand(a *front.App) *cobra.Command {
	f := searchFlags{SearchOptions: run.SearchOptions{Kind: run.Latency}}
	var quick, full bool
	var only string
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "The slowest calls and their causes, threads, and memory; which settings keep a real-time limit",
		Long: `Runs malloc and free many times under each allocator and setting, keeps the slowest
calls, and says what held each of them up: a page fault, a system call, an interrupt,
another process, the host. Measures how operations scale with threads, and how much
memory stays resident.

With --rt each setting is judged: it is fit when no call has a page fault, and none takes
longer than the given time because of the allocator. This is judged after an untimed
warm-up with one block alive: it says nothing of the first use of a block, nor of many
live ones. The longest call is the longest that was observed; a longer one may come.

Ctrl-C is safe at any time: the processes that have ended are kept, and --resume goes on.`,
		Example: `  memcost malloc latency
  memcost malloc latency --rt 20us
  memcost malloc latency -b setting=default            under every allocator
  memcost malloc latency --vary M_TOP_PAD=0 --vary LD_PRELOAD=/opt/lib/mine.so`,
		Args: front.MaxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.Profile, err = front.Profile(quick, full); err != nil {
				return err
			}
			switch given := front.Changed(cmd); {
			case given("rt") && f.Limit <= 0:
				return hint.Usage("for example --rt 20us", "--rt must be a positive time")
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
	fl.BoolVar(&quick, "quick", false, "the quick profile (the default): 100,000 calls of the small sizes")
	fl.BoolVar(&full, "full", false, "the full profile: 10,000,000 calls of the small sizes, and every setting")
	fl.StringArrayVar(&f.Vary, "vary", nil, "measure your own `setting` and the default one instead of the study's: "+
		"M_TOP_PAD=0, LD_PRELOAD=FILE, -L, or NAME=VALUE (repeatable)")
	fl.StringVar(&only, "only", "", "published: leave our own settings and the other allocators out")
	fl.DurationVar(&f.Timeout, "timeout", 0, "end a process that takes longer (default: 1m, with --full 10m)")
	f.register(cmd)
	return cmd
}

// cliffRange is what memcost malloc cliffs searches unless it is told otherwise.
const cliffRange = "8-67108864"

func cliffsCommand(a *front.App) *cobra.Command {
	f := searchFlags{SearchOptions: run.SearchOptions{Kind: run.Cliffs}}
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
		Args: front.MaxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.Smallest, f.Largest, err = parseRange(sizes); err != nil {
				return err
			}
			return beginSearch(a, cmd, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&sizes, "range", cliffRange, "block sizes to search, in `bytes`")
	fl.StringVarP(&f.Names, "bench", "b", "",
		"search only the settings that match the regular expression: setting=default")
	f.register(cmd)
	return cmd
}

// parseRange reads "8-67108864".
func parseRange(text string) (smallest, largest int64, err error) {
	a, b, ok := strings.Cut(text, "-")
	smallest, errA := strconv.ParseInt(a, 10, 64)
	largest, errB := strconv.ParseInt(b, 10, 64)
	if !ok || errA != nil || errB != nil || smallest < 8 || largest < smallest || largest > 1<<40 {
		return 0, 0, hint.Usage("for example --range 8-262144; without it, "+cliffRange,
			"--range %s: not a range of block sizes in bytes from 8 on", text)
	}
	return smallest, largest, nil
}
