package plan

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"memcost/internal/method/stat"
)

// A drawnCase is a comparison of the same code alone in a run, whose links lie share of the variance apart and are
// drawn as the run needs them, or from a pool.
type drawnCase struct {
	share, cost float64 // of a link, in rounds
	pool        int     // 0: as needed
}

// run takes rounds for as long as the time, counted in rounds, suffices, and returns how many
// links it drew, whether some look excluded the truth, and the half-width of the last look.
func (c drawnCase) run(rng *rand.Rand, run uint64, time float64) (links int, alarm bool, half float64) {
	p := &Plan{Options: Options{Seed: run, Layouts: c.pool, FreshLayouts: true}}
	var looks stat.Looks
	var d, effect []float64
	var link, used []int
	last, perLink := -1, math.Sqrt(c.cost)
	for round := 0; ; round++ {
		var l int
		if c.pool > 0 {
			main, _ := layouts(run, c.pool, 1, round)
			l = main[0]
		} else {
			l = p.NextLink(0, round, used, last, max(perLink, 1))
		}
		for l >= len(used) {
			used, effect = append(used, 0), append(effect, rng.NormFloat64())
		}
		if used[l] == 0 {
			time -= c.cost
		}
		if time--; time < 0 {
			break
		}
		used[l]++
		last = l
		d = append(d, math.Sqrt(c.share)*effect[l]+math.Sqrt(1-c.share)*rng.NormFloat64())
		link = append(link, l)
		x := stat.Pool{}.Rounds(d, link)
		x.Tau = 1
		if looks.At(len(d)) == len(d) {
			iv := looks.Interval(x, 0.05)
			alarm, half = alarm || iv.Excludes(0), iv.Width()/2
		}
		perLink = stat.PerLink(c.cost, x)
	}
	for _, k := range used {
		links += min(k, 1)
	}
	return links, alarm, half
}

// Links that differ are drawn, those that do not are not, and the intervals hold the truth and are narrower at the same time: 2000
// of each with MEMCOST_LONG=1. A link takes as long as two rounds, and there is time for 150 without any.
func TestDrawnLinks(t *testing.T) {
	runs := 24
	if os.Getenv("MEMCOST_LONG") != "" {
		runs = 2000
	}
	var halves []float64
	for i, c := range []struct {
		drawnCase
		least, most float64 // links, on average
	}{
		{drawnCase{0, 2, 0}, 8, 24}, {drawnCase{0.1, 2, 0}, 8, 30}, {drawnCase{0.5, 2, 0}, 30, 44}, {drawnCase{0.9, 2, 0}, 40, 48},
		{drawnCase{0, 2, 12}, 12, 12}, {drawnCase{0.1, 2, 12}, 12, 12}, {drawnCase{0.5, 2, 12}, 12, 12}, {drawnCase{0.9, 2, 12}, 12, 12},
	} {
		rng := rand.New(rand.NewPCG(31, uint64(i)))
		links, alarms, half := 0.0, 0, 0.0
		for run := range runs {
			n, alarm, h := c.run(rng, uint64(run), 150)
			links, half = links+float64(n)/float64(runs), half+h/float64(runs)
			if alarm {
				alarms++
			}
		}
		t.Logf("links have %2.0f%% of the variance, pool of %2d: %4.1f links, half-width %.3f, %.1f%% of %d exclude the truth",
			100*c.share, c.pool, links, half, 100*float64(alarms)/float64(runs), runs)
		if links < c.least || links > c.most {
			t.Errorf("share %v, pool %d: %.1f links, want %v to %v", c.share, c.pool, links, c.least, c.most)
		}
		if alarms > 3+runs/16 {
			t.Errorf("share %v, pool %d: %d of %d exclude the truth", c.share, c.pool, alarms, runs)
		}
		halves = append(halves, half)
	}
	if halves[2] > 0.8*halves[6] || halves[3] > 0.6*halves[7] || halves[0] > 1.25*halves[4] {
		t.Errorf("half-widths %.3f with links as needed, %.3f with pools", halves[:4], halves[4:])
	}
}
