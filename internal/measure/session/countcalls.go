package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/malloc/mallocprofile"
)

// callsBudget is what the runs may take that tell what counting costs, unless somebody says otherwise.
const callsBudget = 20 * time.Second

// The runs of each kind, where the budget alone says how many there are. With fewer than 4 there is
// no interval.
const (
	fewestRuns = 4
	mostRuns   = 20
)

// pairs is how many runs with counting, and as many without, there will be, of a program that takes so long. It is
// chosen before they begin, so that the interval is that of one look at the data.
func pairs(runs int, budget, took time.Duration) int {
	if runs > 0 {
		return runs
	}
	return min(max(int(budget/(2*max(took, time.Millisecond))), fewestRuns), mostRuns)
}

// CountCalls runs a program, and returns how it uses malloc and what counting costs it. Of the options count the
// command line, its standard input, and the budget of the runs that tell what counting costs; runs is how many of
// these there are with counting and as many without, 0 as many as the budget has room for.
func CountCalls(ctx context.Context, t *Tools, o Options, runs int) (*mallocprofile.Use, error) {
	if len(o.Args) == 0 {
		return nil, hint.Usage("memcost alloc --profile -- ./prog arguments", "no program is named")
	}
	file, err := findProgram(o.Args[0])
	if err != nil {
		return nil, hint.With("name the file of the program: ./prog", fmt.Errorf("profiling the program: %w", err))
	}
	p := &prober{Tools: t, launch: launch{stdin: o.Stdin}, cmd: proc.Cmd{Path: file, Args: o.Args[1:], Env: os.Environ()}}
	if p.counter, err = t.buildCounter(ctx); err != nil {
		return nil, err
	}
	t.Log.Step("counting the calls of " + o.Args[0])
	var first trial
	all, err := p.counted(func(env []string) (err error) {
		first, err = p.run(ctx, env, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	why := mallocprofile.WhyNot(p.counter, file)
	switch {
	case len(all.Profiles) > 0 && all.Profiles[0].Allocations() == 0 && why != "":
		t.Log.Note("warning: " + why)
	case len(all.Profiles) > 0:
	case why != "":
		return nil, hint.With("memcost alloc measures what can be preloaded; build the program so that it can",
			errors.New("counting calls of malloc: "+why))
	default:
		return nil, cmp.Or(first.res.Err("running "+o.Args[0]),
			hint.New("does it run other programs with an environment of their own?",
				"counting the calls of %s: the preloaded library counted nothing, in no process", o.Args[0]))
	}
	run := mallocprofile.Run{Command: o.Args, Wall: first.took, CPU: first.cpu, Kernel: first.res.Usage.Sys, Cores: runtime.NumCPU(),
		Faults: first.res.Usage.MinorFaults, Pool: mallocprofile.PoolOf(all.Profiles[0].Program)}
	if first.res.ExitCode != 0 || first.res.Signal != "" {
		run.Ended = first.ends
	}
	use := mallocprofile.Analyse(run, all)
	use.Overhead, err = p.overhead(ctx, runs, cmp.Or(o.Budget, callsBudget), first.took)
	return use, err
}

// overhead runs the program with counting and without, each pair in random order. Where the budget says how many
// there are, a pair that would exceed twice the budget is left out.
func (p *prober) overhead(ctx context.Context, runs int, budget, took time.Duration) (o mallocprofile.Overhead, err error) {
	cpu := map[bool][]float64{}
	start, n := time.Now(), pairs(runs, budget, took)
	for i := range n {
		if runs == 0 && time.Since(start)+2*took > 2*budget {
			break
		}
		left := time.Duration(n-i) * 2 * took
		p.Log.Step(fmt.Sprintf("what counting costs: run %d of %d with and without it, about %v left", i+1, n,
			left.Round(time.Second)))
		one := func(env []string) error {
			t, err := p.run(ctx, env, 0)
			took = max(took, t.took)
			cpu[env != nil] = append(cpu[env != nil], t.cpu.Seconds())
			return err
		}
		first := rand.IntN(2) == 0
		for _, counting := range []bool{first, !first} {
			if counting {
				_, err = p.counted(one)
			} else {
				err = one(nil)
			}
			if err != nil {
				return o, err
			}
		}
	}
	return mallocprofile.MeasureOverhead(cpu[true], cpu[false]), nil
}

// buildCounter builds the library that counts the calls of a program.
func (t *Tools) buildCounter(ctx context.Context) (string, error) {
	return mallocprofile.Build(ctx, &toolchain.Builder{Runner: t.Runner, CacheDir: t.Builder.CacheDir, Log: t.Log.Step})
}

// counted returns what the counter wrote of a program that is run with some variables.
func (p *prober) counted(run func(env []string) error) (all mallocprofile.Processes, err error) {
	dir, err := mallocprofile.Folder()
	if err != nil {
		return all, err
	}
	defer os.RemoveAll(dir)
	if err := run(mallocprofile.Environment(os.Environ(), p.counter, dir)); err != nil {
		return all, err
	}
	return mallocprofile.ReadFolder(dir)
}
