package join

import (
	"github.com/google/pprof/profile"

	"memcost/internal/sites"
)

// shareOf returns the interval of a share. Where nothing was seen in any sample, a share of up
// to 3 of all samples is possible (the rule of three).
func shareOf(x []float64, samples int64) sites.Interval {
	out := sites.Mean(x)
	if out.Runs > 0 && out.Value == 0 && samples > 0 {
		out.Hi = 3 / float64(samples)
	}
	out.Hi = min(out.Hi, 1)
	return out
}

// shares charges the CPU time of the runs of a benchmark.
func (a *analysis) shares(p *Asked, bench int, m *Measured) {
	x := &running{analysis: a, p: p, bench: bench, runs: len(m.CPU)}
	for i, run := range m.CPU {
		x.run(i, run)
	}
	b := &a.report.Benchmarks[bench]
	b.Malloc, b.Assist, b.GC = shareOf(x.malloc, x.samples), shareOf(x.assist, x.samples), shareOf(x.gc, x.samples)
	whole := b.Bytes
	for _, g := range a.sites {
		t := g.tallies[bench]
		if t == nil {
			continue
		}
		c := x.sharesOf(g)
		gc, sum := make([]float64, x.runs), make([]float64, x.runs)
		for i := range gc {
			if whole > 0 {
				gc[i] = x.gc[i] * min(t.bytes/whole, 1)
			}
			sum[i] = c.malloc[i] + c.assist[i] + gc[i]
		}
		g.costs = append(g.costs, sites.Cost{Benchmark: bench, Malloc: shareOf(c.malloc, x.samples),
			Assist: shareOf(c.assist, x.samples), GC: shareOf(gc, x.samples), Share: shareOf(sum, x.samples)})
	}
}

// running are the runs of a benchmark under the CPU profiler.
type running struct {
	*analysis
	p                  *Asked
	bench, runs        int
	samples            int64
	malloc, assist, gc []float64 // shares of each run
}

func (x *running) run(i int, p *profile.Profile) {
	last := len(p.SampleType) - 1
	var total, malloc, assist, gc int64
	sites := map[*gathered][2]int64{}
	shift := x.p.shift(p)
	for _, s := range p.Sample {
		v := s.Value[last]
		total += v
		x.samples += s.Value[0]
		var allocates, assists, collects bool
		st := stackOf(s, shift, x.main, func(fn string) {
			allocates = allocates || beginsWith(fn, allocating)
			assists = assists || beginsWith(fn, assisting)
			collects = collects || beginsWith(fn, collecting)
		})
		x.note(st)
		switch {
		case collects:
			gc += v
			continue
		case !allocates && !assists:
			continue
		}
		if assists {
			assist += v
		} else {
			malloc += v
		}
		if g := x.lookUp(st); g != nil {
			t := sites[g]
			if assists {
				t[1] += v
			} else {
				t[0] += v
			}
			sites[g] = t
		}
	}
	part := func(v int64) float64 {
		if total == 0 {
			return 0
		}
		return float64(v) / float64(total)
	}
	x.malloc, x.assist, x.gc = append(x.malloc, part(malloc)), append(x.assist, part(assist)), append(x.gc, part(gc))
	for g, t := range sites {
		c := x.sharesOf(g)
		c.malloc[i], c.assist[i] = part(t[0]), part(t[1])
	}
}

// sharesOf returns the shares of a site, of each run.
func (x *running) sharesOf(g *gathered) *cpuShares {
	if g.cpu[x.bench] == nil {
		g.cpu[x.bench] = &cpuShares{malloc: make([]float64, x.runs), assist: make([]float64, x.runs)}
	}
	return g.cpu[x.bench]
}

// lookUp returns the site of a stack among those that were counted, nil if there is none.
func (x *running) lookUp(s stack) *gathered {
	if len(s.lines) == 0 {
		return nil
	}
	key, own := placeOf(x.analysis, s, x.resolver.sample(x.p.Program, s))
	if own < 0 {
		return nil
	}
	g := x.sites[key]
	if g == nil || g.tallies[x.bench] == nil {
		return nil
	}
	return g
}
