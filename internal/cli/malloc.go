package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	f := searchFlags{kind: session.Latency}
	use := latency.DefaultUse()
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
  memcost malloc latency --rt 20us --sizes 64,1KiB,16KiB
  memcost malloc latency --rt 20us --gate --vary 'M_MMAP_MAX=0 M_TRIM_THRESHOLD=2147483647 --prefault=256MiB'
  memcost malloc latency -b setting=default            under every allocator
  memcost malloc latency --vary M_TOP_PAD=0 --vary LD_PRELOAD=/opt/lib/mine.so`,
		Args: maxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Profile = cmp.Or(f.Profile, session.Quick)
			if f.Limit > 0 {
				f.Use = &use
			}
			return beginSearch(a, cmd, &f)
		},
	}
	f.register(cmd, ofUse(&use), ofSettings(&f.Bench),
		f.sampling().pick("quick: 100,000 calls of the small sizes; the default",
			"full: 10,000,000 calls of the small sizes, and every setting"),
		f.sides(nil).pick("vary = measure your own `setting` and the default one instead of the study's: M_TOP_PAD=0, LD_PRELOAD=FILE, -L, "+
			"--prefault=256MiB, or NAME=VALUE (repeatable)", "only"),
		f.budgets().pick("timeout: default: 1m, with --full 10m"),
		flags{{name: "sizes", eg: "64,4KiB", takes: taking{"strings", "", func(text string) (err error) {
			f.Sizes, err = parseSizes(text)
			return err
		}}, help: "blocks of these `SIZES` instead of 64 B, 4 KiB, 256 KiB and 32 MiB", more: "from 8 B to 1 GiB"},
			{name: "rt", takes: positive(&f.Limit, 0), eg: "20us", help: "judge each setting for real time: no page " +
				"fault and no call longer than this `TIME`"}})
	return cmd
}

// ofSettings are -b of a search among settings of malloc.
func ofSettings(to *string) flags {
	return flags{{name: "bench,b", takes: checked(to, regular), eg: "setting=default",
		help: "only the settings that match the regular expression: setting=default"}}
}

// cliffRange is what memcost malloc cliffs searches unless it is told otherwise.
const cliffRange = "8-67108864"

func cliffsCommand(a *App) *cobra.Command {
	f := searchFlags{kind: session.Cliffs}
	f.Smallest, f.Largest, _ = parseRange(cliffRange)
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
		Args: maxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return beginSearch(a, cmd, &f)
		},
	}
	f.register(cmd, ofSettings(&f.Bench), flags{{name: "range", eg: "8KiB-64KiB", takes: taking{"string", cliffRange,
		func(text string) (err error) {
			f.Smallest, f.Largest, err = parseRange(text)
			return err
		}}, help: "block sizes to search, as `FROM-TO`: 8-262144, 8KiB-64KiB"}})
	return cmd
}

// parseRange reads "8-67108864" and "8KiB-64MiB".
func parseRange(text string) (smallest, largest int64, err error) {
	a, b, ok := strings.Cut(text, "-")
	smallest, errA := units.ReadBytes(a)
	largest, errB := units.ReadBytes(b)
	if !ok || errA != nil || errB != nil || smallest < 8 || largest < smallest || largest > 1<<40 {
		return 0, 0, errors.New("not a range of block sizes in bytes from 8 on")
	}
	return smallest, largest, nil
}

// parseSizes reads "64,4KiB": sizes of blocks, each once, in their order.
func parseSizes(text string) (out []int64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := units.ReadBytes(strings.TrimSpace(word))
		if err != nil || n < 8 || n > 1<<30 {
			return nil, fmt.Errorf("%q is no size of a block from 8 B to 1 GiB", word)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// ofUse are the flags that say how blocks are used while settings are judged for real time.
func ofUse(u *plan.Use) flags {
	const most = 64 // as many as the program starts
	return flags{
		{name: "live", needs: "rt", eg: "64MiB", takes: taking{"string", "64MiB", func(text string) error {
			n, err := units.ReadBytes(text)
			if err != nil || n < 1 {
				return errors.New("no number of bytes")
			}
			u.Live = n
			return nil
		}}, help: "keep up to so many `BYTES` alive, in at most 65,536 blocks"},
		{name: "threads", needs: "rt", takes: between(&u.Threads, 2, most), eg: "4",
			help: "`N` threads in the situation of that name; the others are of one thread"},
		{name: "warmup", needs: "rt", takes: taking{"int", "", func(text string) (err error) {
			u.Warmup, err = strconv.ParseInt(text, 10, 64)
			return err
		}}, help: "`N` untimed calls of one block before the timed ones",
			more: "default: a tenth of these, at most 1,000"},
		{name: "situation", needs: "rt", takes: commaList(&u.Situations, "situation", latency.Situations()...),
			offers: offer(latency.Situations()...), help: "judge in these situations"},
	}
}
