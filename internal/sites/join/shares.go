package join

// A Part is what a site makes of the benchmarks: means, over those that count for the ranks, of its
// shares of their bytes, of their objects and of their CPU time.
type Part struct{ Bytes, Objects, CPU float64 }

// PartOf returns what a site makes of a report's benchmarks.
func PartOf(r *Report, s *Site) Part {
	var p Part
	benches := 0.0
	for i, b := range r.Benchmarks {
		if !counts(b, r.Benchmarks) {
			continue
		}
		benches++
		for _, c := range s.Costs {
			if c.Benchmark != i {
				continue
			}
			p.Bytes += c.Bytes / b.Bytes
			if b.Objects > 0 {
				p.Objects += c.Objects / b.Objects
			}
			if c.Share.Runs > 0 {
				p.CPU += c.Share.Value
			}
		}
	}
	if benches == 0 {
		return Part{}
	}
	return Part{p.Bytes / benches, p.Objects / benches, p.CPU / benches}
}
