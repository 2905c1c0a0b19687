package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"memcost/bench/methods"
	"memcost/internal/method/stat"
)

// judged is what all methods said, which tables and picture are made of.
type judged struct {
	Span    float64          `json:"span"`
	Begun   string           `json:"begun"` // of the first step
	Seconds float64          `json:"seconds"`
	Figures []methods.Figure `json:"figures"`
	Runs    []budgetRun      `json:"runs"`
	Truth   []truth          `json:"truth"`
	Costs   []cost           `json:"costs"`
}

// A budgetRun is one benchmark in a run of memcost's with a budget.
type budgetRun struct {
	Kind    string  `json:"kind"`
	Changed bool    `json:"changed"` // at its end
	Differs bool    `json:"differs"` // its interval excludes 1 at its end
	At      float64 `json:"at"`      // seconds of measuring after which it was first called changed; 0: never
	Whole   float64 `json:"whole"`   // seconds of the whole command
}

// A truth is the ratio that all pairs of a true change give together.
type truth struct {
	Kind  string  `json:"kind"`
	Rate  int     `json:"rate"`
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Pairs int     `json:"pairs"`
}

// A cost is what a way of sampling needs beside its samples.
type cost struct {
	Take     string  `json:"take"`
	Steps    int     `json:"steps"`
	Prepared float64 `json:"prepared"` // seconds before the first sample, median
	Rounds   float64 `json:"rounds"`   // in a minute, median; of go test -count=10: samples of a side
}

// judge has every method say what it would have said after each number of seconds.
func (x *comparer) judge(ctx context.Context) (*judged, error) {
	r := &judged{Span: x.span}
	for _, s := range x.steps.done {
		r.Seconds += s.Wall
		if r.Begun == "" || s.Begun < r.Begun {
			r.Begun = s.Begun
		}
	}
	findings, err := x.ofMemcost(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range x.steps.all(takeInterleaved) {
		eachBlock(s.Recording, x.seconds(), func(t float64, b methods.Block, kind string) {
			base, cand := s.Recording.Of(kind, b)
			findings = append(findings, methods.OfSides(methods.Interleaved, kind, base, cand, s.Rate, t))
		})
	}
	r.Figures = methods.Count(append(findings, x.ofSequential()...))
	if r.Runs, err = x.ofRuns(ctx); err != nil {
		return nil, err
	}
	r.Truth = truths(slices.Concat(x.steps.all(takeMemcost), x.steps.all(takeInterleaved)))
	r.Costs = x.costs()
	return r, nil
}

// eachBlock calls fn for each number of seconds, block and kind of a recording.
func eachBlock(r *methods.Recording, seconds []float64, fn func(t float64, b methods.Block, kind string)) {
	for _, t := range seconds {
		for _, b := range r.Blocks(t) {
			for _, kind := range slices.Sorted(maps.Keys(r.Pairs)) {
				fn(t, b, kind)
			}
		}
	}
}

// looksOf are memcost's answers after parts of a step's run.
func (x *comparer) looksOf(ctx context.Context, s step, at map[int][]int) ([]methods.Look, error) {
	dir := filepath.Join(x.steps.dir, s.name())
	run := filepath.Join(dir, s.Folder)
	samples, err := runSamples(run)
	if err != nil {
		return nil, fmt.Errorf("step %s: %w", s.name(), err)
	}
	return x.takeLooks(ctx, run, samples, at, filepath.Join(dir, "looks"))
}

// ofMemcost judges memcost's recordings, by memcost itself and by the methods that take
// its pairs.
func (x *comparer) ofMemcost(ctx context.Context) (all []methods.Finding, err error) {
	for _, s := range x.steps.all(takeMemcost) {
		looks, err := x.looksOf(ctx, s, methods.LooksAt(s.Recording, x.seconds()))
		if err != nil {
			return nil, err
		}
		eachBlock(s.Recording, x.seconds(), func(t float64, b methods.Block, kind string) {
			all = append(all, methods.OfLooks(looks, kind, b, s.Rate, t)...)
			all = append(all, methods.OfPairs(s.Recording, kind, b, t)...)
		})
	}
	return all, nil
}

// ofSequential judges the sequential comparisons; their seconds are the mean of what they
// took, in whole seconds.
func (x *comparer) ofSequential() (all []methods.Finding) {
	steps := x.steps.all(takeSequential)
	sum, n := 0.0, 0
	for _, s := range steps {
		for _, one := range s.Sides {
			sum, n = sum+one.Seconds, n+1
		}
	}
	for _, s := range steps {
		for _, one := range s.Sides {
			for _, kind := range slices.Sorted(maps.Keys(one.Base)) {
				all = append(all, methods.OfSides(methods.Sequential, kind, one.Base[kind], one.Cand[kind], s.Rate,
					math.Round(sum/float64(n))))
			}
		}
	}
	return all
}

// ofRuns returns the runs with a budget, and when each benchmark was first called changed.
func (x *comparer) ofRuns(ctx context.Context) (all []budgetRun, err error) {
	for _, s := range x.steps.all(takeRun) {
		rounds := len(s.Recording.Ends)
		var at []int
		for n := 1; n <= rounds; n++ {
			at = append(at, n)
		}
		looks, err := x.looksOf(ctx, s, map[int][]int{0: at})
		if err != nil {
			return nil, err
		}
		for _, p := range s.Pairs {
			run := budgetRun{Kind: kindOf(p.Case), Changed: p.Changed && p.Ratio > 1,
				Differs: p.Different && p.Ratio > 1, Whole: s.Wall}
			for _, l := range looks {
				end := s.Recording.Ends[l.Last-1]
				if l.Kind == run.Kind && l.Changed > 0 && (run.At == 0 || end < run.At) {
					run.At = end
				}
			}
			all = append(all, run)
		}
	}
	return all, nil
}

// truths returns the ratio of each kind and true change that all pairs give, with the
// interval of the signed-rank test.
func truths(steps []step) (all []truth) {
	logs := map[truth][]float64{}
	for _, s := range steps {
		for kind, pairs := range s.Recording.Pairs {
			key := truth{Kind: kind, Rate: s.Rate}
			for _, p := range pairs {
				if p != nil {
					logs[key] = append(logs[key], math.Log(p.Cand/p.Base))
				}
			}
		}
	}
	for t, d := range logs {
		lo, hi := methods.SignedRankInterval(d, methods.Alpha)
		if math.IsInf(lo, -1) {
			continue // too few for an interval
		}
		t.Ratio, t.Lo, t.Hi, t.Pairs = math.Exp(stat.HodgesLehmann(d)), math.Exp(lo), math.Exp(hi), len(d)
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b truth) int {
		if a.Rate != b.Rate {
			return a.Rate - b.Rate
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	return all
}

func (x *comparer) costs() (all []cost) {
	for _, take := range []string{takeMemcost, takeRun, takeInterleaved, takeSequential} {
		var prepared, rounds []float64
		for _, s := range x.steps.all(take) {
			switch {
			case s.Recording != nil && take != takeInterleaved:
				prepared = append(prepared, s.Prepared)
			default:
				prepared = append(prepared, x.linked)
			}
			if s.Recording != nil {
				rounds = append(rounds, float64(len(s.Recording.Ends))*60/s.Recording.Ends[len(s.Recording.Ends)-1])
			}
			for _, one := range s.Sides {
				for _, v := range one.Base {
					rounds = append(rounds, float64(len(v))*60/one.Seconds)
					break
				}
			}
		}
		if len(prepared) > 0 {
			all = append(all, cost{take, len(prepared), stat.Median(prepared), stat.Median(rounds)})
		}
	}
	return all
}
