package search

import "slices"

func (p Probe) cost() float64 { return p.MallocNS + p.TouchNS + p.FreeNS }

func sorted(probes []Probe, of func(Probe) float64) []float64 {
	var out []float64
	for _, p := range probes {
		out = append(out, of(p))
	}
	slices.Sort(out)
	return out
}

func median(probes []Probe, of func(Probe) float64) float64 {
	x := sorted(probes, of)
	return x[len(x)/2]
}

// middle returns a probe with the commonest signature, and with the median times of all.
func middle(probes []Probe, glibc bool) Probe {
	want := mode(probes, glibc)
	p := probes[slices.IndexFunc(probes, func(p Probe) bool { return p.signature(glibc) == want })]
	p.MallocNS = median(probes, func(p Probe) float64 { return p.MallocNS })
	p.TouchNS = median(probes, func(p Probe) float64 { return p.TouchNS })
	p.FreeNS = median(probes, func(p Probe) float64 { return p.FreeNS })
	return p
}

// mode returns the signature that most of the probes have; of equally many the first.
func mode(probes []Probe, glibc bool) signature {
	count := map[signature]int{}
	for _, p := range probes {
		count[p.signature(glibc)]++
	}
	var best signature
	for _, p := range probes {
		if x := p.signature(glibc); count[x] > count[best] {
			best = x
		}
	}
	return best
}
