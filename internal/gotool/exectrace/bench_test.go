package exectrace

import "testing"

// BenchmarkRead reads the captured traces of Go 1.22 and newer again and again.
// For a larger one, see testdata/README.md.
func BenchmarkRead(b *testing.B) {
	all := captured(b)
	for _, name := range []string{"go1.18.10", "go1.22.12", "go1.25.14", "go1.27.4"} {
		b.Run("trace="+name, func(b *testing.B) {
			b.SetBytes(int64(len(all[name])))
			var events int64
			for b.Loop() {
				events += readAll(b, all[name], Options{}).Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
