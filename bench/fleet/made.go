package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/fleet/pack"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// A pattern is the samples of a real run, from which others are made up.
type pattern struct {
	question *plan.Question
	series   []*cases // with a figure in each round
	guards   []*benchfmt.Result
}

// cases are the real samples of one case on one configuration.
type cases struct {
	samples []*benchfmt.Result
	out     *benchfmt.Result // the last one that was made up
	digits  [][]int          // of each value: so many behind the point, -1: a count, which stays
}

// noise is the spread of made-up times of one case on one machine, and that between machines.
const noise, between = 0.02, 0.1

func readPattern(dir string) (*pattern, error) {
	p := &pattern{question: &plan.Question{}}
	if err := store.ReadQuestion(dir, p.question); err != nil {
		return nil, err
	}
	at := map[series.ID]*cases{}
	_, err := store.ReadSamples(dir, func(r *benchfmt.Result) error {
		if r.GetConfig(series.KeyRole) != "" || r.GetConfig(series.KeyFailed) != "" {
			p.guards = append(p.guards, r.Clone())
			return nil
		}
		id := series.ID{Study: r.GetConfig(series.KeyStudy), Case: string(r.Name),
			Side: r.GetConfig(series.KeyToolchain) + r.GetConfig(series.KeySide)}
		c := at[id]
		if c == nil {
			c = &cases{}
			at[id] = c
			p.series = append(p.series, c)
		}
		c.samples = append(c.samples, r.Clone())
		c.digits = append(c.digits, digitsOf(r))
		return nil
	})
	if err == nil && len(p.series) == 0 {
		err = fmt.Errorf("reading %s: it has no samples", dir)
	}
	return p, err
}

func digitsOf(r *benchfmt.Result) []int {
	var out []int
	for _, v := range r.Values {
		text := strconv.FormatFloat(printed(v), 'f', -1, 64)
		_, behind, has := strings.Cut(text, ".")
		switch {
		case !has:
			out = append(out, -1)
		case v.Unit == series.UnitRound || v.Unit == series.UnitOrder || v.Unit == series.UnitLayout:
			out = append(out, -1)
		default:
			out = append(out, len(behind))
		}
	}
	return out
}

func printed(v benchfmt.Value) float64 {
	if v.OrigUnit != "" {
		return v.OrigValue
	}
	return v.Value
}

// machine returns an attempt of a made-up machine with about so many samples.
func (p *pattern) machine(number, kinds, samples int) (pack.Source, error) {
	kind := fmt.Sprintf("%08x", 0xfa10_0000+number%kinds)
	q := *p.question
	q.Machine.Hostname, q.Machine.BootID = fmt.Sprintf("made-up-%d", number), fmt.Sprintf("boot-%d", number)
	q.Plan.Options.Shard, q.Plan.Options.Shards = 0, 0
	q.Attempt = &plan.Attempt{Plan: "madeupplan", Calibration: "madeup-" + kind, Boot: q.Machine.BootID,
		Machine: fmt.Sprintf("%s-%012x", kind, number), Shard: 1, Shards: 1, Token: fmt.Sprintf("%012x", number),
		Began: q.Created.Add(time.Duration(number) * time.Hour), Ended: "decided", Whole: true}
	data, err := json.Marshal(q)
	return pack.Source{JSON: data, Source: store.Source{Name: q.Machine.Hostname, Question: &q,
		Samples: func(fn func(*benchfmt.Result) error) ([]error, error) {
			return nil, p.rounds(rand.New(rand.NewPCG(uint64(number), 1)), samples, fn)
		}}}, err
}

// rounds makes up rounds: each has a sample of every case, drawn from the real ones of the case and
// changed by a few percent.
func (p *pattern) rounds(rng *rand.Rand, samples int, fn func(*benchfmt.Result) error) error {
	for _, g := range p.guards {
		if err := fn(g); err != nil {
			return err
		}
	}
	rounds := max((samples-len(p.guards))/len(p.series), 1)
	faster := make([]float64, len(p.series))
	for i := range faster {
		faster[i] = math.Exp(between * rng.NormFloat64())
	}
	for round := range rounds {
		for order, i := range rng.Perm(len(p.series)) {
			c := p.series[i]
			k := rng.IntN(len(c.samples))
			from := c.samples[k]
			if c.out == nil || !slices.EqualFunc(c.out.Config, from.Config, sameConfig) {
				c.out = from.Clone()
			}
			c.out.Iters, c.out.Values = from.Iters, append(c.out.Values[:0], from.Values...)
			change(c.out, c.digits[k], faster[i]*math.Exp(noise*rng.NormFloat64()), round, order)
			if err := fn(c.out); err != nil {
				return err
			}
		}
	}
	return nil
}

func sameConfig(a, b benchfmt.Config) bool {
	return a.Key == b.Key && string(a.Value) == string(b.Value)
}

// change makes another sample of a real one, whose figures have as many digits.
func change(r *benchfmt.Result, digits []int, factor float64, round, order int) {
	for i := range r.Values {
		v := &r.Values[i]
		switch {
		case v.Unit == series.UnitRound:
			v.Value = float64(round)
		case v.Unit == series.UnitOrder:
			v.Value = float64(order)
		case digits[i] >= 0:
			was := printed(*v)
			is := was * factor
			if scale := math.Pow10(digits[i]); digits[i] <= 15 {
				is = math.Round(is*scale) / scale
			}
			if v.OrigUnit != "" {
				v.Value, v.OrigValue = v.Value*is/was, is
				continue
			}
			v.Value = is
		}
	}
}
