// Package curve computes what a program's memory was over time: its peak, what was still resident some time
// after the work, the area under the curve, how long it took until memory was given back, and the phases
// between; and writes and reads a curve compactly. It is pure: numbers in, figures out.
package curve

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Point is what was resident of all processes together at an instant, and the CPU time that they had used.
type Point struct {
	At       time.Duration // since the program was started, or since it was first looked at
	Resident int64         // bytes
	CPU      time.Duration
}

// A Mark is an instant that was named while it came.
type Mark struct {
	At   time.Duration
	Name string
}

// Idle is the name of the mark at the end of the work.
const Idle = "idle"

// An Exact reading is one by the kernel's walk over all pages, which costs much more than a look.
type Exact struct {
	At       time.Duration
	Resident int64
	Share    int64 // PSS: what processes share is counted once
	Swap     int64
	Cheap    int64 // what the cheap counters said just before
}

// A Curve is what was seen of a program.
type Curve struct {
	Points []Point // between two of them the curve is straight
	Exact  []Exact
	Marks  []Mark
	End
}

// An End is what is known when the last point is taken.
type End struct {
	Work time.Duration // when the work ended; −1: it had not before the program did, or was no longer watched
	// Says how the end of the work was found: "found", "load", "marked"; "" where Work is −1.
	Found string
	Peak  int64 // the largest that one process ever had resident, as the kernel keeps it
	// Processes is the largest number of them at once, and Seen how many there were in all: some that
	// ended between two looks are not among them.
	Processes, Seen int
	Sampler         time.Duration // CPU time of the sampler
	Looks           int64
	Gap             time.Duration // the longest time without a look
	Private         bool          // PSS could not be read of some process: it is another user's
	Swap            int64         // what was swapped out at the end
	How             Ending
}

// An Ending is why there is no further point.
type Ending string

// The endings.
const (
	Ended   Ending = "ended"   // the program did, by itself
	Stopped Ending = "stopped" // it was ended after it had been idle for long enough
	Limited Ending = "limited" // it was ended after it had worked for as long as it may
	Killed  Ending = "killed"  // by the kernel, for there was no memory left
	Left    Ending = "left"    // it goes on: nobody looks at it any longer
)

// Every is the time between two looks.
const Every = 5 * time.Millisecond

// After are the times after the work at which what is still resident is told.
func After() []time.Duration {
	return []time.Duration{100 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
}

// Last returns the time of the last point.
func (c *Curve) Last() time.Duration {
	if len(c.Points) == 0 {
		return 0
	}
	return c.Points[len(c.Points)-1].At
}

// At returns what was resident at an instant; false where the curve does not reach it.
func (c *Curve) At(t time.Duration) (int64, bool) {
	i, found := slices.BinarySearchFunc(c.Points, t, func(p Point, t time.Duration) int { return cmp.Compare(p.At, t) })
	switch {
	case found:
		return c.Points[i].Resident, true
	case i == 0 || i == len(c.Points):
		// The last look is not later than the instant by more than the time between two.
		if n := len(c.Points); n > 0 && i == n && t-c.Points[n-1].At <= 2*Every {
			return c.Points[n-1].Resident, true
		}
		return 0, false
	}
	a, b := c.Points[i-1], c.Points[i]
	share := float64(t-a.At) / float64(b.At-a.At)
	return a.Resident + int64(share*float64(b.Resident-a.Resident)), true
}

// Highest returns the highest point.
func (c *Curve) Highest() (best Point) {
	for _, p := range c.Points {
		if p.Resident > best.Resident {
			best = p
		}
	}
	return best
}

// Top returns the peak in bytes: the largest sum over all processes that a look met, or the largest that one
// process ever had where that is more. It is exact of a single process, and of several at least so much.
func (c *Curve) Top() int64 { return max(c.Highest().Resident, c.End.Peak) }

// Area returns the area under the curve, in bytes × seconds.
func (c *Curve) Area() (sum float64) {
	for i := 1; i < len(c.Points); i++ {
		a, b := c.Points[i-1], c.Points[i]
		sum += float64(a.Resident+b.Resident) / 2 * (b.At - a.At).Seconds()
	}
	return sum
}

// Settled returns what was resident a time after the work.
func (c *Curve) Settled(after time.Duration) (int64, bool) {
	if c.Work < 0 {
		return 0, false
	}
	return c.At(c.Work + after)
}

// returned is the share of the peak that "given back" means.
const returned = 0.9

// Returned returns how long after the work 90% of the peak was given back, 0 where it was before; false where
// it was not as long as anyone looked.
func (c *Curve) Returned() (time.Duration, bool) {
	if c.Work < 0 || len(c.Points) == 0 {
		return 0, false
	}
	rest := int64(math.Round((1 - returned) * float64(c.Top())))
	if n, ok := c.Settled(0); ok && n <= rest {
		return 0, true
	}
	for _, p := range c.Points {
		if p.At >= c.Work && p.Resident <= rest {
			return p.At - c.Work, true
		}
	}
	return 0, false
}

// Used returns the CPU time of all processes.
func (c *Curve) Used() time.Duration {
	if len(c.Points) == 0 {
		return 0
	}
	return c.Points[len(c.Points)-1].CPU
}

// A Phase is a part of the curve.
type Phase struct {
	Name     string // "start", "growth", "peak", "fall", "idle", or as it was marked
	From, To time.Duration
	Resident int64 // at its end
}

const (
	// begun and nearly are the shares of the peak between which a program grows.
	begun  = 0.1
	nearly = 0.95
)

// Phases parts the curve: the start, until a tenth of the peak is resident; growth, until it is within 5% of
// the peak; the peak, as long as it is; the fall from it while there is work; and idleness. Where marks were
// set, they part it, and a part has the name of the mark that it begins with.
func (c *Curve) Phases() []Phase {
	if len(c.Points) < 2 {
		return nil
	}
	cuts := []Mark{{0, "start"}}
	if marks := slices.DeleteFunc(slices.Clone(c.Marks), func(m Mark) bool { return m.Name == Idle }); len(marks) > 0 {
		cuts = append(cuts, marks...)
	} else {
		top, last := float64(c.Highest().Resident), c.Work
		if last < 0 {
			last = c.Last()
		}
		grows, high, falls := time.Duration(-1), time.Duration(-1), time.Duration(-1)
		for _, p := range c.Points {
			n := float64(p.Resident)
			if grows < 0 && n >= begun*top {
				grows = p.At
			}
			if high < 0 && n >= nearly*top {
				high = p.At
			}
			if n >= nearly*top {
				falls = p.At
			}
		}
		cuts = append(cuts, Mark{grows, "growth"}, Mark{high, "peak"})
		if falls+2*Every < last { // else the work ended at the peak
			cuts = append(cuts, Mark{falls, "fall"})
		}
	}
	if c.Work >= 0 {
		cuts = append(cuts, Mark{c.Work, Idle})
	}
	var out []Phase
	for i, m := range cuts {
		to := c.Last()
		if i+1 < len(cuts) {
			to = cuts[i+1].At
		}
		if to <= m.At { // nothing was there of it
			continue
		}
		n, _ := c.At(to)
		out = append(out, Phase{m.Name, m.At, to, n})
	}
	return out
}

// Inexact returns by which share the cheap counters differed from the exact readings, at most; −1 where there
// is no reading to know it by. While memory changes neither is of one instant: only what stayed the same counts.
func (c *Curve) Inexact() float64 {
	most := -1.0
	for _, x := range c.Exact {
		if x.Resident > 0 && x.Cheap > 0 && c.Work >= 0 && x.At >= c.Work {
			most = max(most, math.Abs(float64(x.Cheap-x.Resident))/float64(x.Resident))
		}
	}
	return most
}

// Nearest returns the exact reading that is nearest to an instant, and by how much it is away; false without any.
func (c *Curve) Nearest(t time.Duration) (best Exact, away time.Duration, ok bool) {
	for _, x := range c.Exact {
		if d := (x.At - t).Abs(); !ok || d < away {
			best, away, ok = x, d, true
		}
	}
	return best, away, ok
}

// A Rest finds the end of the work while points come: the last instant at which the processes were busy, or grew.
type Rest struct {
	recent []Point // those of the last window, the oldest first
	since  time.Duration
}

const (
	// window is the time over which processes are busy or not, and busy the share of one core from which on they
	// are: background threads that give memory back take less.
	window = 100 * time.Millisecond
	busy   = 0.1
	// grown is by how much memory grows in a window that is no idleness, whatever the processor does.
	grown = 1 << 20
)

// Add takes the next point, and returns since when there has been no work.
func (r *Rest) Add(p Point) time.Duration {
	r.recent = append(r.recent, p)
	for len(r.recent) > 2 && p.At-r.recent[1].At >= window {
		r.recent = r.recent[1:]
	}
	first := r.recent[0]
	if over := p.At - first.At; over >= window {
		if p.CPU-first.CPU >= time.Duration(busy*float64(over)) || p.Resident-first.Resident >= grown {
			r.since = max(r.since, r.last())
		}
	} else if len(r.recent) > 1 && first.At < Every && p.CPU >= time.Duration(busy*float64(window)) {
		r.since = max(r.since, r.last()) // a program that works and ends within a window
	}
	return r.since
}

// Busy says that there is work at an instant, whatever the processor does.
func (r *Rest) Busy(at time.Duration) { r.since = max(r.since, at) }

// Window is the time after which processes that use little CPU time and do not grow may be idle.
const Window = window

// last returns the end of the last interval of the window in which there was work.
func (r *Rest) last() time.Duration {
	for i := len(r.recent) - 1; i > 0; i-- {
		a, b := r.recent[i-1], r.recent[i]
		if b.CPU-a.CPU >= time.Duration(busy*float64(b.At-a.At)) || b.Resident > a.Resident {
			return b.At
		}
	}
	return r.recent[len(r.recent)-1].At
}
