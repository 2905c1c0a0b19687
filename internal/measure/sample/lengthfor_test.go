package sample

import (
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
)

// A sample that allocates has collections enough, or is the longest; one that does not is the
// least.
func TestLengthForCollections(t *testing.T) {
	const least, longest = 60 * time.Millisecond, 240 * time.Millisecond
	for _, c := range []struct {
		bytes, cycles float64
		want          time.Duration
	}{
		{0, 0, least},
		{16, 0, longest},                      // it allocates, and has not collected yet
		{16, 1, longest},                      // one says nothing of how often
		{16, 2, 80 * time.Millisecond},        // of 20 ms: 8 in 80
		{4096, 10, least},                     // 8 in 16 ms
		{4096, 40, least},                     //
		{1 << 20, 2.0 / 3, longest},           // a mean of less than one
		{1 << 20, 2.5, 64 * time.Millisecond}, // 8 in 64
	} {
		r := &benchfmt.Result{Iters: 1000, Values: []benchfmt.Value{{Value: 20e-6, Unit: "sec/op"},
			{Value: c.bytes, Unit: "B/op"}, {Value: c.cycles, Unit: series.UnitGCCycles}}}
		if got := lengthFor(r, least, longest).Round(time.Microsecond); got != c.want {
			t.Errorf("%v B/op, %v collections in 20ms: %v, want %v", c.bytes, c.cycles, got, c.want)
		}
		if got := lengthFor(r, least, 0); got != least {
			t.Errorf("without a longest: %v", got)
		}
	}
	if got := lengthFor(&benchfmt.Result{Iters: 1}, least, longest); got != longest {
		t.Errorf("nothing is known of what it allocates: %v", got)
	}
}
