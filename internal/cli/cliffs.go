package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The flag --cliffs takes a range of block sizes; alone it is this one.
const cliffRange = "8-67108864"

var cliffMode = mode{flag: "cliffs", command: "run malloc --cliffs"}

// cliffs finds the block sizes at which malloc changes what it does.
func (a *app) cliffs(ctx context.Context, f *runFlags) error {
	c, err := a.newCliffHunt(ctx, f)
	if c != nil {
		defer c.close()
	}
	if err != nil {
		if ctx.Err() != nil {
			return errors.New("interrupted before the first setting was searched")
		}
		return err
	}
	if f.dryRun {
		return c.print()
	}
	hint := "go on with: memcost " + cliffMode.command + " --resume " + c.folder.Dir
	err = c.find(ctx)
	c.progress.end()
	switch {
	case err != nil && ctx.Err() == nil:
		return withHint(hint, fmt.Errorf("%w; what was found so far is kept", err))
	case err != nil && len(c.done) == 0:
		return withHint(hint, errors.New("interrupted before the first setting was searched"))
	}
	return a.concludeCliffs(c, f, err != nil, hint)
}

func (a *app) concludeCliffs(c *cliffHunt, f *runFlags, stopped bool, hint string) error {
	ans, err := a.answer(c.folder.Dir, false, show{f.json, f.long, f.open})
	if err != nil {
		return err
	}
	if stopped {
		return withHint(hint, errors.New("interrupted; every setting that was searched to its end is kept"))
	}
	if f.gate {
		return finding(ans, c.question.LeftOut)
	}
	return nil
}

// print says what would be run.
func (c *cliffHunt) print() error {
	for _, s := range c.settings {
		words := slices.Concat(s.Env, []string{c.options.Program}, s.Args, []string{"--probe=SIZE"})
		if _, err := fmt.Fprintf(c.app.stdout, "%s\n  %s\n", s.Name, strings.Join(words, " ")); err != nil {
			return err
		}
	}
	return nil
}

// readCliffRange reads "8-67108864".
func readCliffRange(text string) (smallest, largest int64, err error) {
	a, b, ok := strings.Cut(text, "-")
	smallest, errA := strconv.ParseInt(a, 10, 64)
	largest, errB := strconv.ParseInt(b, 10, 64)
	if !ok || errA != nil || errB != nil || smallest < 8 || largest < smallest || largest > 1<<40 {
		return 0, 0, usage("for example --cliffs=8-262144; --cliffs alone is "+cliffRange, "--cliffs=%s: not a range of block sizes in bytes from 8 on", text)
	}
	return smallest, largest, nil
}

// mayLock is whether this process may lock more than RLIMIT_MEMLOCK: CAP_IPC_LOCK, bit
// 14 of the effective capabilities (capabilities(7), proc_pid_status(5)).
func mayLock() bool {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			set, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			return err == nil && set&(1<<14) != 0
		}
	}
	return false
}

// cleared are variables that would make an allocator of the user's shell part of every
// setting.
var cleared = []string{"LD_PRELOAD", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_PERTURB_", "MALLOC_TOP_PAD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_CONF"}
