package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/bench/methods"
	"memcost/internal/base/proc"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
)

// looksAtOnce is how many run folders one memcost report reads.
const looksAtOnce = 50

// takeLooks asks memcost what it would have said after parts of a run: for each first
// round, after each of the rounds. It writes a run folder of each part, with the rounds
// numbered from 0, and has memcost report read them.
func (b sampler) takeLooks(ctx context.Context, run string, samples []sample, at map[int][]int, scratch string) (
	[]methods.Look, error) {
	defer os.RemoveAll(scratch)
	question, err := os.ReadFile(filepath.Join(run, store.QuestionFile))
	if err != nil {
		return nil, fmt.Errorf("reading a run: %w", err)
	}
	type part struct{ first, last int }
	parts := map[string]part{}
	var dirs []string
	for _, first := range slices.Sorted(maps.Keys(at)) {
		for _, last := range at[first] {
			dir := filepath.Join(scratch, fmt.Sprintf("%06d-%06d", first, last))
			if err := writePart(dir, question, samples, first, last); err != nil {
				return nil, err
			}
			parts[dir] = part{first, last}
			dirs = append(dirs, dir)
		}
	}
	var looks []methods.Look
	for some := range slices.Chunk(dirs, looksAtOnce) {
		res, err := b.do(ctx, proc.Cmd{Path: b.memcost, Limit: 256 << 20,
			Args: append([]string{"report", "--json"}, some...)})
		if err != nil {
			return nil, err
		}
		answers, err := parseAnswers(res.Stdout)
		if err != nil {
			return nil, err
		}
		if len(answers) != len(some) {
			return nil, fmt.Errorf("reading %d parts of a run: memcost report answers %d", len(some), len(answers))
		}
		for _, a := range answers {
			p, ok := parts[a.Folder]
			if !ok {
				return nil, fmt.Errorf("reading parts of a run: memcost report names %s, which is none", a.Folder)
			}
			for _, s := range a.Studies {
				for _, c := range s.Cases {
					if c.VsFirst != nil {
						looks = append(looks, lookOf(c.Name, c.VsFirst, p.first, p.last))
					}
				}
			}
		}
	}
	return looks, nil
}

// lookOf is what memcost said of a case after some rounds. A bound that is null is none.
func lookOf(name string, c *comparison, first, last int) methods.Look {
	l := methods.Look{Kind: kindOf(name), First: first, Last: last, Lo: 0, Hi: math.Inf(1)}
	sign := 1
	if c.Medians < 1 {
		sign = -1
	}
	if c.Difference == string(claim.Changed) {
		l.Changed = sign
	}
	if c.excludesOne() {
		l.Differs = sign
	}
	if c.Note == notConstant {
		l.Lo, l.Hi, l.Interval = math.Inf(1), math.Inf(-1), true
		return l
	}
	if c.Lo > 0 {
		l.Lo, l.Interval = float64(c.Lo), true
	}
	if c.Hi > 0 {
		l.Hi, l.Interval = float64(c.Hi), true
	}
	return l
}

// writePart writes a run folder that holds the rounds from first to before last.
func writePart(dir string, question []byte, samples []sample, first, last int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, store.QuestionFile), question, 0o666); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, store.SamplesFile))
	if err != nil {
		return err
	}
	w := benchfmt.NewWriter(f)
	for _, s := range samples {
		r := s.Result
		floor := r.GetConfig(series.KeyRole) == series.RoleFloor
		if !floor && (s.round < first || s.round >= last) {
			continue
		}
		if !floor {
			r = r.Clone()
			for i, v := range r.Values {
				if v.Unit == series.UnitRound {
					r.Values[i].Value = float64(s.round - first)
				}
			}
		}
		if err := w.Write(r); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}
