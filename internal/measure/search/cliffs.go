// Package cliffs finds the block sizes at which malloc changes its behaviour: where
// another mechanism takes over, where freed memory goes back to the system, where malloc
// fails, and where the cost jumps although nothing else changes.
//
// No value is taken from a table. A program (malloc_bench --probe, of the study malloc)
// tries one size in a fresh process, because a heap depends on its history; the counts
// of that process, not the size, determine the mechanism. A coarse scan is followed by
// bisection, and a cliff counts when five fresh processes on each side confirm it.
//
// Each cliff is shown with the prediction of glibc's documented rules (predict.go).
//
// It is built on proc, which runs the program.
package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// probeTime ends a probe that hangs, where Options name no time.
const probeTime = 30 * time.Second

// Find searches the settings, one after the other. The failure of one is recorded in its
// finding; the error is for work that was stopped.
func FindCliffs(ctx context.Context, o CliffOptions) error {
	if o.Smallest < 8 || o.Largest < o.Smallest {
		return fmt.Errorf("finding the cliffs of malloc: sizes from %d to %d bytes cannot be tried", o.Smallest,
			o.Largest)
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

func findOne(ctx context.Context, o CliffOptions, f *Finding) error {
	p := &cliffProgram{CliffOptions: o, set: f.Setting}
	facts, err := p.check(ctx)
	if err != nil {
		return err
	}
	f.Platform, f.Library = facts.Platform, facts.Library
	s := &cliffSearch{ctx: ctx, ask: p.probe, glibc: facts.glibc(), locked: f.Setting.locked(), log: o.Log,
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

func (s *cliffSearch) run(smallest, largest int64) error {
	if err := s.scan(smallest, largest); err != nil {
		return err
	}
	for i, e := range s.edges {
		s.say(fmt.Sprintf("confirming a cliff at %d B", e[1]), 0.6+0.2*float64(i)/float64(len(s.edges)))
		if err := s.confirm(e[0], e[1]); err != nil {
			return err
		}
	}
	if err := s.costs(); err != nil {
		return err
	}
	slices.SortFunc(s.cliffs, func(a, b Cliff) int { return int(a.At - b.At) })
	s.name()
	return nil
}

// name numbers the cliffs that share their cause.
func (s *cliffSearch) name() {
	seen := map[string]int{}
	for i := range s.cliffs {
		c := &s.cliffs[i]
		if seen[c.Cause]++; seen[c.Cause] > 1 {
			c.Cause = fmt.Sprintf("%s-%d", c.Cause, seen[c.Cause])
		}
	}
}
