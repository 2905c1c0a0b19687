package claim

import (
	"math"
	"testing"

	"memcost/internal/method/stat"
)

// A change that is plain and lacks only a few rounds to stand among others waits for these, and
// not for the rounds that its interval would take to be precise.
func TestChangeWaits(t *testing.T) {
	each := []float64{3.1, 3.2, 3.15, 3.12, 3.18, 3.11, 3.17, 3.14}
	c := Change{Estimate: Estimate{Interval: stat.Interval{Lo: 20, Hi: 27}, Rounds: len(each)},
		basis: basis{each: each, about: Estimate{Tau: 1}}, margin: 0.01, need: math.Log(120)}
	if got := c.Waits(0.05); got < 1 || got > 6 {
		t.Errorf("a plain change waits for %v rounds", got)
	}
	c.Interval = stat.Interval{Lo: 0.9, Hi: math.Inf(1)}
	if got, want := c.Waits(0.05), float64(max(stat.MinRounds(0.05)-len(each), 1)); got != want {
		t.Errorf("a change without a bound waits for %v rounds, want %v", got, want)
	}
	for i := range each {
		each[i] = []float64{0.004, -0.003}[i%2]
	}
	c.Interval = stat.Interval{Lo: 0.98, Hi: 1.02}
	if got := c.Waits(0.05); got < 10 || got > 100 {
		t.Errorf("what looks equal waits for %v rounds to be known as equal", got)
	}
}
