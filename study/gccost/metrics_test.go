//go:build go1.16
// +build go1.16

package gccost

import "runtime/metrics"

// pauses names the histogram of the collector's stop-the-world pauses: the first
// since Go 1.22, which calls the second, of Go 1.16, identical and deprecated.
var pauses = supported("/sched/pauses/total/gc:seconds", "/gc/pauses:seconds")

// gcCPU names the CPU time of the collector, idle workers included. It is brought
// up to date when a cycle ends. Go 1.20 and later have it.
var gcCPU = supported("/cpu/classes/gc/total:cpu-seconds")

// supported returns the first of the names that this Go supports, or "".
func supported(names ...string) string {
	known := map[string]bool{}
	for _, d := range metrics.All() {
		known[d.Name] = true
	}
	for _, name := range names {
		if known[name] {
			return name
		}
	}
	return ""
}

// addMetrics adds the values of runtime/metrics to f, times sign. Metrics that this Go
// does not have are left out.
func (f *figures) addMetrics(sign float64) {
	if pauses != "" {
		s := []metrics.Sample{{Name: pauses}}
		metrics.Read(s)
		for _, n := range s[0].Value.Float64Histogram().Counts {
			f.stops += sign * float64(n)
		}
		f.hasStops = true
	}
	if gcCPU != "" {
		s := []metrics.Sample{{Name: gcCPU}}
		metrics.Read(s)
		f.gcCPU += sign * s[0].Value.Float64()
		f.hasCPU = true
	}
}
