package parallel

import (
	"math"
	"runtime/metrics"
	"testing"
	"time"
)

// sink keeps what the goroutines have computed.
var sink int

// measure times b.N operations by g goroutines and reports, beside the time (of
// the whole, over b.N):
//
//	ops/s             operations in a second, over the cores that can be busy
//	controls/op       in operations of the case's control, done by as many goroutines right before
//	cpu-ns/op         CPU time of the process, the collector's included, per operation (Unix)
//	gc-busy-share     of the CPU time in which the process was not idle, the collector's part
//	lock-wait-share   waiting for mutexes and (Go 1.22) the runtime's own locks, over the
//	                  goroutines' time; from one wait in eight, so that it is 0 in many samples
//	sched-p99-ns      in 99 of 100 cases a goroutine that could run waited no longer
//
// The last three are runtime/metrics, where this Go has them.
func measure(b *testing.B, g int, c benchCase) {
	b.ReportAllocs()
	var control time.Duration
	if c.control != nil {
		control, _ = together(g, b.N, c.control, func() {})
	}
	var before, after gauges
	elapsed, slots := together(g, b.N, c.work, func() {
		before.read()
		b.ResetTimer()
	})
	b.StopTimer()
	after.read()
	for _, s := range slots {
		sink += s.sum
	}
	busy := coresNow()
	if g < busy {
		busy = g
	}
	b.ReportMetric(float64(b.N)/elapsed.Seconds()/float64(busy), "ops/s")
	if control > 0 {
		b.ReportMetric(float64(elapsed)/float64(control), "controls/op")
	}
	after.report(b, &before, time.Duration(g)*elapsed)
}

// The metrics that are read, with the names of runtime/metrics (Go 1.17 to 1.27).
const (
	gcTime    = "/cpu/classes/gc/total:cpu-seconds"
	allTime   = "/cpu/classes/total:cpu-seconds"
	idleTime  = "/cpu/classes/idle:cpu-seconds"
	lockWait  = "/sync/mutex/wait/total:seconds"
	latencies = "/sched/latencies:seconds"
)

// gauges are the readings at one moment.
type gauges struct {
	cpu     float64 // seconds of the process; NaN where the system does not report them
	seconds map[string]float64
	sched   *metrics.Float64Histogram
}

func (g *gauges) read() {
	samples := []metrics.Sample{{Name: gcTime}, {Name: allTime}, {Name: idleTime}, {Name: lockWait}, {Name: latencies}}
	metrics.Read(samples)
	g.seconds = map[string]float64{}
	for _, s := range samples {
		switch s.Value.Kind() {
		case metrics.KindFloat64:
			g.seconds[s.Name] = s.Value.Float64()
		case metrics.KindFloat64Histogram:
			g.sched = s.Value.Float64Histogram()
		}
	}
	g.cpu = cpuSeconds()
}

// report reports what has been added since before, in which the goroutines had so
// much time together.
func (g *gauges) report(b *testing.B, before *gauges, lived time.Duration) {
	ops := float64(b.N)
	since := func(name string) float64 { return g.seconds[name] - before.seconds[name] }
	if d := g.cpu - before.cpu; !math.IsNaN(d) {
		b.ReportMetric(1e9*d/ops, "cpu-ns/op")
	}
	if _, ok := g.seconds[gcTime]; ok {
		share := 0.0
		if busy := since(allTime) - since(idleTime); busy > 0 {
			share = since(gcTime) / busy
		}
		b.ReportMetric(share, "gc-busy-share")
	}
	if _, ok := g.seconds[lockWait]; ok {
		b.ReportMetric(since(lockWait)/lived.Seconds(), "lock-wait-share")
	}
	if g.sched != nil {
		b.ReportMetric(1e9*quantile(g.sched, before.sched, 0.99), "sched-p99-ns")
	}
}

// quantile returns the upper end of the bucket that contains the quantile q of the
// observations added since before; 0 if there are none. For the last bucket, which has
// no upper end, it returns the lower one.
func quantile(h, before *metrics.Float64Histogram, q float64) float64 {
	var total uint64
	added := make([]uint64, len(h.Counts))
	for i := range h.Counts {
		added[i] = h.Counts[i] - before.Counts[i]
		total += added[i]
	}
	if total == 0 {
		return 0
	}
	rank, seen := uint64(math.Ceil(q*float64(total))), uint64(0)
	for i, n := range added {
		if seen += n; seen >= rank {
			if up := h.Buckets[i+1]; !math.IsInf(up, 1) {
				return up
			}
			return h.Buckets[i]
		}
	}
	return 0
}
