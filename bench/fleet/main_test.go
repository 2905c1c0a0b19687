package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/fleet/pack"
	"memcost/internal/method/series"
)

func healthy(t *testing.T) *pattern {
	t.Helper()
	p, err := readPattern(filepath.Join("..", "..", "internal", "report", "result", "testdata", "healthy"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A made-up machine has rounds of all cases, the same each time that it is asked, and others than another
// machine.
func TestMadeUp(t *testing.T) {
	p := healthy(t)
	read := func(number int) (out []string, times map[string]map[float64]bool) {
		src, err := p.machine(number, 3, 2000)
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Question.Check(); err != nil || src.Question.Attempt.Check() != nil {
			t.Fatal(err)
		}
		times = map[string]map[float64]bool{}
		_, err = src.Samples(func(r *benchfmt.Result) error {
			round, _ := r.Value(series.UnitRound)
			sec, _ := r.Value("sec/op")
			out = append(out, fmt.Sprint(r.Name, r.GetConfig(series.KeyRole), round, sec))
			if times[string(r.Name)] == nil {
				times[string(r.Name)] = map[float64]bool{}
			}
			times[string(r.Name)][sec] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out, times
	}
	one, times := read(1)
	again, _ := read(1)
	other, _ := read(2)
	if !slices.Equal(one, again) || slices.Equal(one, other) || len(one) < 1500 || len(one) > 2000 {
		t.Errorf("%d samples, %d again, %d of another", len(one), len(again), len(other))
	}
	rounds := (2000 - len(p.guards)) / len(p.series)
	for name, ts := range times {
		if len(ts) < rounds/2 {
			t.Errorf("%s: %d different times in %d rounds", name, len(ts), rounds)
		}
	}
}

// The pack of made-up machines is one that can be read.
func TestMakePack(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.pack")
	if _, err := makePack(t.Context(), healthy(t), options{out: out, samples: 3000, machines: 5, kinds: 2},
		io.Discard); err != nil {
		t.Fatal(err)
	}
	p, err := pack.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if n := len(p.Index.Machines()); n != 5 || p.Index.Samples < 2000 {
		t.Errorf("%d machines with %d samples", n, p.Index.Samples)
	}
	for i := range p.Index.Runs {
		src, err := p.Run(i, p.Index.Studies())
		if err != nil {
			t.Fatal(err)
		}
		samples := int64(0)
		if _, err := src.Samples(func(*benchfmt.Result) error { samples++; return nil }); err != nil ||
			samples != p.Index.Runs[i].Samples {
			t.Errorf("run %d: %d samples of %d, %v", i, samples, p.Index.Runs[i].Samples, err)
		}
	}
}
