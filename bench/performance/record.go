package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/bench/methods"
	"memcost/internal/base/proc"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// tickEvery is how often the size of a growing samples.txt is read.
const tickEvery = 20 * time.Millisecond

// A sampler takes the samples that methods are compared with.
type sampler struct{ *bench }

// A tick says how many bytes of samples were there after so many seconds.
type tick struct {
	at   float64 // seconds since the run folder had its run.json
	size int64
}

// A growth is how the samples of a run came in.
type growth struct {
	ticks    []tick
	prepared float64 // seconds before run.json, which is written before the first sample
}

// after returns when so many bytes were there, +Inf if they never were.
func (g growth) after(bytes int64) float64 {
	for _, t := range g.ticks {
		if t.size >= bytes {
			return t.at
		}
	}
	return math.Inf(1)
}

// watchGrowth reads the size of the samples of the run in dir until stop, and calls full
// once, when samples have been taken for so many seconds.
func watchGrowth(stop <-chan struct{}, dir string, seconds float64, full func()) (g growth) {
	began, origin := time.Now(), time.Time{}
	folder, last := "", int64(0)
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return g
		case <-ticker.C:
		}
		if folder == "" {
			if folder, _ = onlyRun(dir); folder == "" {
				continue
			}
			origin = time.Now()
			g.prepared = origin.Sub(began).Seconds()
		}
		at := time.Since(origin).Seconds()
		if info, err := os.Stat(filepath.Join(folder, store.SamplesFile)); err == nil && info.Size() > last {
			last = info.Size()
			g.ticks = append(g.ticks, tick{at, last})
		}
		if at >= seconds && full != nil {
			full()
			full = nil
		}
	}
}

// recordMemcost runs memcost and watches its samples come in. With interrupt it is
// stopped after so many seconds of samples, as with Ctrl-C, which keeps what it has.
func (b sampler) recordMemcost(ctx context.Context, c proc.Cmd, dir string, seconds float64, interrupt bool) (g growth,
	stdout []byte, err error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	full := func() {}
	if interrupt {
		full = cancel
	}
	var watching sync.WaitGroup
	stop := make(chan struct{})
	watching.Go(func() { g = watchGrowth(stop, dir, seconds, full) })
	c.Env, c.Limit, c.Grace = b.env, 16<<20, 30*time.Second
	res, err := b.runner.Run(limited, c)
	close(stop)
	watching.Wait()
	switch {
	case ctx.Err() != nil:
		return g, nil, context.Cause(ctx)
	case interrupt && limited.Err() != nil:
		return g, res.Stdout, nil
	case err == nil:
		err = res.Err("running memcost " + strings.Join(c.Args, " "))
	}
	return g, res.Stdout, err
}

// kindOf returns the kind of a benchmark: MapFilling of MapFilling-2.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(strings.TrimPrefix(name, "Benchmark"), "-")
	return kind
}

// A sample is a record of a run folder, with the place in the file where it ends.
type sample struct {
	*benchfmt.Result
	end   int64
	round int
}

// runSamples reads the samples of a run folder, those of the floor among them.
func runSamples(dir string) ([]sample, error) {
	data, err := os.ReadFile(filepath.Join(dir, store.SamplesFile))
	if err != nil {
		return nil, fmt.Errorf("reading the samples: %w", err)
	}
	ends := []int64{0} // of each line, from line 1
	for line := range bytes.Lines(data) {
		ends = append(ends, ends[len(ends)-1]+int64(len(line)))
	}
	var out []sample
	_, err = store.ReadSamples(dir, func(r *benchfmt.Result) error {
		_, line := r.Pos()
		if round, ok := r.Value(series.UnitRound); ok && round >= 0 && line < len(ends) {
			out = append(out, sample{r.Clone(), ends[line], int(round)})
		}
		return nil
	})
	return out, err
}

// recordingOf pairs the samples of a run by round. A round that is not complete at its
// end is left out if it is the last one.
func recordingOf(samples []sample, g growth, rate int, span float64) (*methods.Recording, error) {
	type figures struct{ base, cand float64 }
	rounds := map[int]map[string]*figures{}
	kinds := map[string]bool{}
	last := -1
	r := &methods.Recording{Rate: rate, Span: span, Pairs: map[string][]*methods.Pair{}}
	for _, s := range samples {
		last = max(last, s.round)
		for len(r.Ends) <= last {
			r.Ends = append(r.Ends, 0)
		}
		r.Ends[s.round] = max(r.Ends[s.round], g.after(s.end))
		seconds, ok := s.Value("sec/op")
		if role := s.GetConfig(series.KeyRole); role != "" || !ok || !(seconds > 0) {
			continue
		}
		kind := kindOf(string(s.Name))
		kinds[kind] = true
		if rounds[s.round] == nil {
			rounds[s.round] = map[string]*figures{}
		}
		if rounds[s.round][kind] == nil {
			rounds[s.round][kind] = &figures{}
		}
		if s.GetConfig(series.KeySide) == "" {
			rounds[s.round][kind].base = seconds
		} else {
			rounds[s.round][kind].cand = seconds
		}
	}
	whole := func(round int) bool {
		for kind := range kinds {
			if f := rounds[round][kind]; f == nil || f.base == 0 || f.cand == 0 {
				return false
			}
		}
		return true
	}
	if last >= 0 && !whole(last) {
		r.Ends, last = r.Ends[:last], last-1
	}
	if last < 0 || len(kinds) == 0 {
		return nil, errNoSamples
	}
	for kind := range kinds {
		r.Pairs[kind] = make([]*methods.Pair, last+1)
		for round := range r.Pairs[kind] {
			if f := rounds[round][kind]; f != nil && f.base > 0 && f.cand > 0 {
				r.Pairs[kind][round] = &methods.Pair{Base: f.base, Cand: f.cand}
			}
		}
	}
	return r, nil
}

// benchmarks runs a test binary once and returns its times in seconds, by kind.
func (b sampler) benchmarks(ctx context.Context, dir, binary string, rate, count int, benchtime string) (
	map[string][]float64, error) {
	env := b.env
	if rate > 0 {
		env = append(slices.Clone(env), fmt.Sprintf("SLOWER=%d", rate))
	}
	res, err := b.do(ctx, proc.Cmd{Path: binary, Dir: dir, Env: env, Args: []string{"-test.run=^$", "-test.bench=.",
		fmt.Sprintf("-test.count=%d", count), "-test.benchtime=" + benchtime}})
	if err != nil {
		return nil, err
	}
	out := map[string][]float64{}
	warnings, err := store.Read(bytes.NewReader(res.Stdout), "go test", func(r *benchfmt.Result) error {
		if sec, ok := r.Value("sec/op"); ok {
			kind := kindOf(string(r.Name))
			out[kind] = append(out[kind], sec)
		}
		return nil
	})
	return out, errors.Join(append(warnings, err)...)
}

// recordInterleaved takes one process of each side after the other, in an order that a
// coin decides, for so many seconds.
func (b sampler) recordInterleaved(ctx context.Context, dir, binary string, rate int, span float64, benchtime string,
	coin *rand.Rand) (*methods.Recording, error) {
	r := &methods.Recording{Rate: rate, Span: span, Pairs: map[string][]*methods.Pair{}}
	for began := time.Now(); time.Since(began).Seconds() < span; {
		var got [2]map[string][]float64
		first := coin.IntN(2)
		for _, side := range []int{first, 1 - first} {
			var err error
			if got[side], err = b.benchmarks(ctx, dir, binary, side*rate, 1, benchtime); err != nil {
				return nil, err
			}
		}
		for kind, base := range got[0] {
			if len(got[1][kind]) != 1 || len(base) != 1 {
				return nil, fmt.Errorf("running the benchmarks once: %s has %d and %d figures", kind, len(base),
					len(got[1][kind]))
			}
			r.Pairs[kind] = append(r.Pairs[kind], &methods.Pair{Base: base[0], Cand: got[1][kind][0]})
		}
		r.Ends = append(r.Ends, time.Since(began).Seconds())
	}
	return r, nil
}

// recordSequential takes all samples of one side, and then all of the other.
func (b sampler) recordSequential(ctx context.Context, dir, binary string, rate, count int, benchtime string) (s sides,
	err error) {
	began := time.Now()
	if s.Base, err = b.benchmarks(ctx, dir, binary, 0, count, benchtime); err != nil {
		return s, err
	}
	s.Cand, err = b.benchmarks(ctx, dir, binary, rate, count, benchtime)
	s.Seconds = time.Since(began).Seconds()
	return s, err
}
