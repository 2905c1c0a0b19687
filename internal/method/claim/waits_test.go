package claim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"memcost/internal/method/stat"
)

// A change that is plain and lacks only a few rounds to stand among others waits for these, and
// not for the rounds that its interval would take to be precise.
func TestChangeWaits(t *testing.T) {
	each := []float64{3.1, 3.2, 3.15, 3.12, 3.18, 3.11, 3.17, 3.14}
	change := func(iv stat.Interval) Change {
		return Change{Estimate: Estimate{Interval: iv, Rounds: len(each)}, margin: 0.01, need: 0.05 / 120,
			basis: basis{each: each, about: Estimate{Tau: 1}, rests: stat.Rounds{D: each}}}
	}
	if got := change(stat.Interval{Lo: 20, Hi: 27}).Waits(0.05); got < 1 || got > 14 {
		t.Errorf("a plain change waits for %v rounds", got)
	}
	for i := range each {
		each[i] = []float64{0.004, -0.003}[i%2]
	}
	if got := change(stat.Interval{Lo: 0.98, Hi: 1.02}).Waits(0.05); got < 2 || got > 100 {
		t.Errorf("what looks equal waits for %v rounds to be known as equal", got)
	}
}

// A place that is decided takes no further rounds; the place that is still open does.
func TestDecidedPlacesDoNotWait(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	place := func(name string, status Status) Element {
		b := &basis{about: Estimate{Tau: 1}}
		for range 20 {
			b.each = append(b.each, 0.05+0.2*rng.NormFloat64())
		}
		b.rests.D = b.each
		return Element{Cases: []string{name}, Status: status, basis: b, at: b.interval, logs: true, allowed: allowed{lo: 1, hi: math.Inf(1)}}
	}
	v := Verdict{Status: Undecided, Elements: []Element{place("decided", Holds), place("open", Undecided)}}
	w, waits := v.Waits(0.05)
	if !waits || len(w.Places) != 1 || !slices.Equal(w.Places[0].Cases, []string{"open"}) {
		t.Errorf("waits %v, for %v", waits, w.Places)
	}
}

// An interval holds what the links leave open, and not only what the rounds do: with four links that differ
// by more than their rounds, many rounds do not make it as narrow as one link's would be.
func TestIntervalsAskTheLinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var b basis
	offset := []float64{0.1, -0.08, 0.03, -0.05}
	for round := range 83 {
		link := round % len(offset)
		b.each, b.links = append(b.each, offset[link]+0.01*rng.NormFloat64()), append(b.links, link)
	}
	b.about.Rounds = len(b.each)
	b.rest(stat.Pool{}, false)
	with := b.interval(0.05)
	b.rests = stat.Rounds{D: b.each}
	without := b.interval(0.05)
	if with.Width() < 2*without.Width() || !with.Contains(0) {
		t.Errorf("with links %v, by rounds alone %v", with, without)
	}
}
