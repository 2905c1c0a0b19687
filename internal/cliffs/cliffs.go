// Package cliffs finds the block sizes at which malloc changes what it does: where
// another mechanism takes over, where freed memory goes back to the system, where
// malloc fails, and where the cost jumps although nothing else changes.
//
// Nothing is taken from a table. A program (malloc_bench --probe, of the study malloc)
// tries one size in a fresh process, because a heap remembers what it did before; what
// it counted there, not the size, says what happened. A coarse scan is followed by
// bisection, and a cliff counts when five fresh processes on each side confirm it.
//
// Beside each cliff stands what glibc's documented rules say about it: predict.go.
//
// It is built on the fact proc, which runs the program.
package cliffs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memcost/internal/proc"
)

// A Setting is one way to run the program.
type Setting struct {
	Name string   // of the cases, keys of a benchmark's name: "allocator=glibc/setting=trim0"
	Args []string // of the program, as -mM_TRIM_THRESHOLD=0
	Env  []string // NAME=VALUE beside Options.Env: LD_PRELOAD, GLIBC_TUNABLES
}

// Options say what to try and how.
type Options struct {
	Program  string // path of malloc_bench
	Settings []Setting
	Runner   *proc.Runner
	Env      []string // complete environment of the program; a setting's own is added

	// Smallest and Largest block to try, in bytes: at least 8. The program itself
	// leaves out sizes for which there is too little memory.
	Smallest, Largest int64

	// MayLock is whether the process may lock more memory than RLIMIT_MEMLOCK says
	// (CAP_IPC_LOCK).
	MayLock bool

	// Timeout ends a probe that hangs; 0 is 30 seconds.
	Timeout time.Duration

	// Found is called with each setting when its search is over, the failed ones
	// included; an error ends the work.
	Found func(Finding) error

	// Log is told what is being tried, and roughly what share of the setting's work is
	// done (0 to 1); nil is silent.
	Log func(what string, share float64)
}

// A Finding is what was found about one setting.
type Finding struct {
	Setting  Setting
	Platform string // "Linux, glibc 2.36", as the program says
	Library  string // file that malloc comes from
	Cliffs   []Cliff
	Absent   []Prediction // predicted within the sizes tried, and not there
	Probes   int          // processes that were started
	Largest  int64        // bytes: the largest block that was tried
	Notes    []string     // sizes whose probe failed, memory that was missing
	Failed   string       // why there is no answer; "" if there is one
}

// A Cliff is a size at which something changes.
type Cliff struct {
	Cause         string // short and stable: "tcache", "mmap", "cost"; a second one is "mmap-2"
	Below, At     int64  // bytes: the largest size known before the change, the smallest known after it
	What          string // what changes, in words
	Before, After Probe  // what five processes on each side had in common, and their median times
	Ratio         float64
	Prediction    *Prediction // of the same cause; nil when nothing is predicted
	Verdict       string      // Agrees, Differs or NotPredicted
}

// The verdicts.
const (
	Agrees       = "agrees"
	Differs      = "differs"
	NotPredicted = "not predicted"
)

const (
	probeTime   = 30 * time.Second
	mostFailed  = 3 // probes of a setting, before it is given up
	confirmWith = 5 // processes on each side
)

// Find searches the settings, one after the other. What goes wrong with one stands in
// its finding; the error is for work that was stopped.
func Find(ctx context.Context, o Options) error {
	if o.Smallest < 8 || o.Largest < o.Smallest {
		return fmt.Errorf("finding the cliffs of malloc: sizes from %d to %d bytes cannot be tried", o.Smallest, o.Largest)
	}
	if o.Timeout == 0 {
		o.Timeout = probeTime
	}
	for _, set := range o.Settings {
		f := Finding{Setting: set}
		err := findOne(ctx, o, &f)
		if ctx.Err() != nil {
			return fmt.Errorf("finding the cliffs of %s: %w", set.Name, context.Cause(ctx))
		}
		if err != nil {
			f.Failed = err.Error()
		}
		if err := o.Found(f); err != nil {
			return err
		}
	}
	return nil
}

func findOne(ctx context.Context, o Options, f *Finding) error {
	p := &program{Options: o, set: f.Setting}
	facts, err := p.check(ctx)
	if err != nil {
		return err
	}
	f.Platform, f.Library = facts.Platform, facts.Library
	s := &search{ctx: ctx, ask: p.probe, glibc: facts.glibc(), locked: f.Setting.locked(), log: o.Log,
		cache: map[int64][]Probe{}, failed: map[int64]bool{}}
	err = s.run(o.Smallest, o.Largest)
	f.Cliffs, f.Probes, f.Largest, f.Notes = s.cliffs, s.probes, s.largest, s.notes
	if err != nil {
		return err
	}
	if s.largest == 0 {
		return errors.New("no size could be tried")
	}
	judge(f, predict(f.Setting, facts, o.MayLock), o.Smallest)
	return nil
}
