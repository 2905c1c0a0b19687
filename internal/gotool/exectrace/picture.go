package exectrace

import (
	"cmp"
	"fmt"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// picture is what a trace is drawn from: the heap and its goal over time, what happened then, and
// where the processors' and the goroutines' time went.
type picture struct {
	Span  float64      `json:"span"` // in seconds
	Over  string       `json:"over"`
	Heap  [][2]float64 `json:"heap"` // seconds, bytes
	Goal  [][2]float64 `json:"goal"`
	Lanes []lane       `json:"lanes"`
	Bars  []bar        `json:"bars"`
}

// A lane is a kind of what happened, in its order.
type lane struct {
	Name string    `json:"name"`
	Bars []happens `json:"bars"`
}

type happens struct {
	Class Kind    `json:"class"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Says  string  `json:"says"`
}

// A bar holds the parts of one total.
type bar struct {
	Title string `json:"title"`
	Parts []part `json:"parts"`

	total time.Duration
}

type part struct {
	Class string  `json:"class"`
	Share float64 `json:"share"`
	Says  string  `json:"says"`
}

// Picture returns a trace as a picture.
func (t *Trace) Picture() *document.Picture {
	p := &picture{Span: t.Span.Seconds(), Over: "Heap and garbage collector over " + units.Duration(t.Span),
		Heap: overTime(t.Heap), Goal: overTime(t.Goal), Bars: []bar{t.procBar(), t.userBar()}}
	for _, of := range []struct {
		kind Kind
		name string
	}{{Mark, "mark phase"}, {GCStop, "stop-the-world for GC"}, {Stop, "stop-the-world for other reasons"}} {
		l := lane{Name: of.name, Bars: []happens{}}
		for _, i := range t.Timeline {
			if i.Kind == of.kind {
				l.Bars = append(l.Bars, happens{i.Kind, i.Start.Seconds(), i.End.Seconds(), fmt.Sprintf("%s, %s at %s",
					cmp.Or(i.Name, of.name), units.Duration(i.End-i.Start), units.Duration(i.Start))})
			}
		}
		p.Lanes = append(p.Lanes, l)
	}
	return &document.Picture{Kind: "gctrace", Data: p}
}

func overTime(points []Point) [][2]float64 {
	out := [][2]float64{}
	for _, p := range points {
		out = append(out, [2]float64{p.At.Seconds(), float64(p.Bytes)})
	}
	return out
}

func newBar(title string, total time.Duration) bar {
	return bar{Title: title + ": " + units.Duration(total), Parts: []part{}, total: total}
}

func (b *bar) add(name, class string, d time.Duration) {
	if d > 0 && b.total > 0 {
		share := float64(d) / float64(b.total)
		b.Parts = append(b.Parts, part{class, share, fmt.Sprintf("%s: %s, %s", name, units.Duration(d),
			units.Percent(share))})
	}
}

// procBar is where the processors' time went.
func (t *Trace) procBar() bar {
	p := t.ProcTime
	b := newBar("CPU time", p.Total)
	b.add("program", "user", p.User)
	b.add("system calls", "syscall", p.Syscall)
	b.add("mark assists", "assist", p.Assist)
	b.add("sweep", "sweep", p.Sweep+p.BackSweep)
	b.add("dedicated and fractional mark workers", "work", p.Dedicated+p.Fractional+p.OtherMark)
	b.add("idle mark workers", "idlework", p.IdleMark)
	b.add("mark termination", "after", p.AfterMark)
	b.add("stop-the-world for GC", "stop", p.Stopped)
	b.add("stop-the-world for other reasons", "tool", p.StoppedBy)
	b.add("runtime", "system", p.System)
	b.add("spinning", "sched", p.Scheduler)
	b.add("idle", "idle", p.Idle)
	return b
}

// userBar is where the time of the program's own goroutines went.
func (t *Trace) userBar() bar {
	g := t.User
	b := newBar(units.Plural(g.Goroutines, "goroutine")+" of the program",
		g.Exec+g.SchedWait+g.Blocked()+g.Syscall+g.SyscallOff)
	b.add("running", "user", g.Exec)
	b.add("in syscalls", "syscall", g.Syscall+g.SyscallOff)
	b.add("runnable", "sched", g.SchedWait)
	for _, x := range g.Block {
		b.add("blocked: "+Named(x.Name), "idle", x.Time)
	}
	return b
}
