package curve

import (
	"slices"
	"time"
)

// A Band is several curves of one program on one scale of time: from the start to the end of the work, which
// takes as long as in the median run, and from there on in seconds.
type Band struct {
	Work time.Duration // the median; of programs without idleness their length
	Rows []BandRow
}

// A BandRow is what was resident at an instant in the lowest run, the median one and the highest.
type BandRow struct {
	At            time.Duration
	Low, Mid, Top float64
	N             int
}

// BandOf puts curves together, with so many instants in each of the two parts.
func BandOf(all []*Curve, steps int) Band {
	var works []time.Duration
	idle := time.Duration(0)
	for _, c := range all {
		works = append(works, c.worked())
		idle = max(idle, c.Last()-c.worked())
	}
	b := Band{}
	if len(works) == 0 {
		return b
	}
	slices.Sort(works)
	b.Work = works[len(works)/2]
	for i := 0; i <= steps; i++ {
		share := float64(i) / float64(steps)
		b.add(time.Duration(share*float64(b.Work)), all, func(c *Curve) time.Duration {
			return time.Duration(share * float64(c.worked()))
		})
	}
	for i := 1; i <= steps && idle > 0; i++ {
		after := idle * time.Duration(i) / time.Duration(steps)
		b.add(b.Work+after, all, func(c *Curve) time.Duration { return c.worked() + after })
	}
	return b
}

// worked is when the work ended, or the program.
func (c *Curve) worked() time.Duration {
	if c.Work >= 0 {
		return c.Work
	}
	return c.Last()
}

func (b *Band) add(at time.Duration, all []*Curve, when func(*Curve) time.Duration) {
	var vs []float64
	for _, c := range all {
		if v, ok := c.At(when(c)); ok {
			vs = append(vs, float64(v))
		}
	}
	if len(vs) < (len(all)+1)/2 { // the median of the few that last longer is another's
		return
	}
	slices.Sort(vs)
	b.Rows = append(b.Rows, BandRow{at, vs[0], vs[len(vs)/2], vs[len(vs)-1], len(vs)})
}
