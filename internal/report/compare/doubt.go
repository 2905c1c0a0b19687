// This part of the package finds what keeps a time from deciding anything, whatever its interval says.

package compare

import (
	"slices"
	"strings"

	"memcost/internal/measure/plan"
)

// Why a time decides nothing.
const (
	// apartDoubt is that of a benchmark whose second copy raised an alarm: what makes the same code differ
	// from itself may make the difference of the sides, as far as the copies may be apart.
	apartDoubt = "two copies of the same code may differ as much in this run"
	// oneLinkDoubt is that of sides that were linked once.
	oneLinkDoubt = "each side was linked once, and two links of the same code may differ as much"
)

// mostOfLinks is how far apart two links of the same code may be, as a ratio: where the linker places a loop decided up
// to 1.45 on small loops, and what is beyond twice as much time is not its work.
const mostOfLinks = 2

// ofTime reports whether a unit is one of time, or of something by time.
func ofTime(unit string) bool {
	return strings.Contains(unit, "sec") || strings.HasSuffix(unit, "/s")
}

// doubtTimes leaves times undecided that this run cannot decide.
func (b *builder) doubtTimes() {
	for i := range b.Benchmarks {
		x := &b.Benchmarks[i]
		apart := b.apart(x)
		once := b.linkedOnce(x.Study)
		for j := range x.Metrics {
			if !ofTime(x.Metrics[j].Unit) {
				continue
			}
			for k := range x.Metrics[j].Changes {
				c := &x.Metrics[j].Changes[k]
				switch {
				case apart > 1 && !c.beyond(apart):
					c.undecide(apartDoubt)
				case once && !c.beyond(mostOfLinks):
					c.undecide(oneLinkDoubt)
				}
			}
		}
	}
}

// apart returns how far, as a ratio, the two copies of a benchmark may be apart that raised an alarm; 1 where none did.
func (b *builder) apart(x *Benchmark) float64 {
	most := 1.
	for _, n := range b.NoiseFloor {
		if n.Alarm && n.Case == x.Name && (n.Study == x.Study || n.Study == "") {
			most = max(most, float64(n.Ratio.Hi), 1/float64(n.Ratio.Lo))
		}
	}
	return most
}

// beyond reports whether the sides differ by more than a ratio, in either direction.
func (c *Change) beyond(ratio float64) bool {
	return float64(c.Ratio.Lo) > ratio || float64(c.Ratio.Hi) < 1/ratio
}

// undecide takes the verdict of a change back.
func (c *Change) undecide(why string) {
	if c.Verdict == Changed || c.Verdict == Equivalent {
		c.Verdict, c.Doubt, c.Stands = Undecided, why, false
	}
}

// linkedOnce reports whether the sides of a package are binaries of Go of one link each, and not the same binary.
func (b *builder) linkedOnce(study string) bool {
	q := b.answer.Question
	for i, x := range q.Plan.Studies {
		if x.Name != study {
			continue
		}
		once, binaries := q.Plan.Options.Layouts == 1, map[string]bool{}
		for _, built := range q.Builds {
			if built.Study == i {
				once, binaries[built.Hash] = once || len(built.Layouts) == 1, true
			}
		}
		return once && len(binaries) != 1 && x.Kind() == plan.GoTest && len(x.Programs) == 0
	}
	return false
}

// DoubtsSay returns the reasons for which times are undecided, each with the benchmarks that it is about.
func (r *Report) DoubtsSay() []string {
	var why []string
	of := map[string][]string{}
	for _, b := range r.Benchmarks {
		for _, m := range b.Metrics {
			for _, c := range m.Changes {
				if c.Doubt == "" || slices.Contains(of[c.Doubt], b.Name) {
					continue
				}
				if of[c.Doubt] == nil {
					why = append(why, c.Doubt)
				}
				of[c.Doubt] = append(of[c.Doubt], b.Name)
			}
		}
	}
	out := []string{}
	for _, w := range why {
		out = append(out, list(of[w])+": "+w)
	}
	return out
}
