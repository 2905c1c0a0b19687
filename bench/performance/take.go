package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"memcost/internal/base/proc"
)

// take does a step and keeps it.
func (x *comparer) take(ctx context.Context, s step) error {
	dir, err := x.steps.folder(s)
	if err != nil {
		return err
	}
	s.Setting, s.Begun = x.steps.setting, now()
	began := time.Now()
	switch s.Take {
	case takeMemcost:
		err = x.memcostStep(ctx, dir, &s, "--rounds", "1000000")
	case takeRun:
		err = x.memcostStep(ctx, dir, &s, "--budget", time.Duration(x.span*float64(time.Second)).String())
	case takeInterleaved:
		coin := rand.New(rand.NewPCG(uint64(s.Pass), uint64(s.Rate)))
		s.Recording, err = x.recordInterleaved(ctx, x.pkg, x.binary, s.Rate, x.span, interleavedTime, coin)
	case takeSequential:
		times, sampleTime := 1, sequentialTime
		if s.Rate == 0 {
			times = sequentialsOfAA
		}
		if x.span < fullSpan {
			sampleTime = (time.Duration(x.span/fullSpan*150) * time.Millisecond).String()
		}
		for len(s.Sides) < times && err == nil {
			var one sides
			one, err = x.recordSequential(ctx, x.pkg, x.binary, s.Rate, sequentialCount, sampleTime)
			s.Sides = append(s.Sides, one)
		}
	}
	if err != nil {
		return err
	}
	s.Wall = time.Since(began).Seconds()
	return x.steps.keep(s)
}

// memcostStep runs memcost: with a fixed number of rounds that it will not reach, all
// comparisons stay to the end, which comes after the seconds of a sampling.
func (x *comparer) memcostStep(ctx context.Context, dir string, s *step, limit ...string) error {
	args := append([]string{"run", ".", "--vary", fmt.Sprintf("SLOWER=%d", s.Rate)}, limit...)
	fixed := s.Take == takeMemcost
	g, stdout, err := x.recordMemcost(ctx, proc.Cmd{Path: x.memcost, Dir: x.pkg,
		Args: append(args, "--json", "--results", dir)}, dir, x.span, fixed)
	if err != nil {
		return err
	}
	run, err := onlyRun(dir)
	if err != nil {
		return err
	}
	samples, err := runSamples(run)
	if err != nil {
		return err
	}
	s.Prepared, s.Folder = g.prepared, filepath.Base(run)
	if s.Recording, err = recordingOf(samples, g, s.Rate, x.span); err != nil || fixed {
		return err
	}
	a, err := parseAnswer(stdout)
	if err == nil {
		s.Pairs = a.pairs()
	}
	return err
}
