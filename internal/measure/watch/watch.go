// Package watch looks at the memory of a process and of all that descend from it while they run, some hundred
// times a second, and finds out when the work is over. It reads /proc and nothing else: it is the same for a
// program that memcost started and for one that runs already.
package watch

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"memcost/internal/machine/resident"
	"memcost/internal/method/curve"
)

// Options say what is looked at, and for how long.
type Options struct {
	PID int
	// Family has the descendants of the parent looked at, too, but for the parent itself: what a process that a
	// launcher started leaves behind becomes the launcher's child.
	Family bool
	Idle   time.Duration // how long is looked on after the work
	// Finds has the end of the work found from what the processes do; else it is told (End).
	Finds bool
	Out   io.Writer // where the curve is written while it comes; nil is nowhere
}

// A Watcher looks at processes until it is stopped, or they end.
type Watcher struct {
	// Settled is closed when the processes have been idle for as long as was asked, Gone when none is left.
	Settled, Gone <-chan struct{}

	o             Options
	settled, gone chan struct{}
	stop          chan struct{}
	done          chan struct{}
	once          sync.Once

	mu     sync.Mutex
	marks  []curve.Mark // that were not written yet
	work   time.Duration
	found  string
	start  int64
	how    curve.Ending
	result *curve.Curve
	err    error
}

// The names of how the end of the work was found.
const (
	Found  = "found"
	Load   = "load"
	Marked = "marked"
)

// Start begins to look.
func Start(o Options) *Watcher {
	w := &Watcher{o: o, settled: make(chan struct{}), gone: make(chan struct{}), stop: make(chan struct{}),
		done: make(chan struct{}), work: -1, start: resident.Now()}
	w.Settled, w.Gone = w.settled, w.gone
	go w.run()
	return w
}

func (w *Watcher) now() time.Duration { return time.Duration(resident.Now() - w.start) }

// End says that the work ended now: the load of a server did.
func (w *Watcher) End() { w.end(Load) }

func (w *Watcher) end(how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.work, w.found = w.now(), how
}

// Mark names this instant. That of curve.Idle is the end of the work.
func (w *Watcher) Mark(name string) {
	if name == curve.Idle {
		w.end(Marked)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.marks = append(w.marks, curve.Mark{At: w.now(), Name: name})
}

// Stop ends it, and returns the curve, which ended as it is said to have. An error is one of writing it: the curve is whole all the same.
func (w *Watcher) Stop(how curve.Ending) (*curve.Curve, error) {
	w.once.Do(func() {
		w.how = how
		close(w.stop)
	})
	<-w.done
	return w.result, w.err
}

// A member is a process of the tree.
type member struct {
	*resident.Open
	last int64         // bytes that were resident when it was seen last
	cpu  time.Duration // the CPU time that it has used
	// before is the CPU time that it had used when it was looked at first, of one that ran already.
	before time.Duration
	ever   int64 // the most that it ever had resident before it was looked at first
	gone   bool
}

// A look is what looks at the processes, in a thread of its own whose CPU time is its cost.
type look struct {
	*Watcher
	proc    resident.Proc
	members []*member
	spent   time.Duration // CPU time of processes that have ended
	curve   curve.Curve
	rest    curve.Rest
	write   *curve.Writer
	root    int // whose descendants are looked at
	own     bool
	head    *resident.Open

	began    time.Duration // CPU time of this thread when it began
	listed   time.Duration // when the tree was listed last, and what that takes
	listing  time.Duration
	exact    time.Duration // CPU time of exact readings so far
	every    time.Duration
	settles  int // how many of curve.After have been read exactly
	high     int64
	flushed  time.Duration
	peaked   time.Duration // when VmHWM was read last
	previous time.Duration
	before   int64         // bytes at the last look
	waits    int           // looks one after the other at which some thread was not idle
	asked    time.Duration // when that was looked at last, and what it takes
	asking   time.Duration
	known    int64 // the highest of which VmHWM was read
}

const (
	// These are the parts of one core that each kind of reading may take; readings that take more come more seldom.
	ofLooks, ofLists, ofExact = 0.01, 0.003, 0.005
	// listEvery is how often new processes are looked for, where that is cheap, and peakEvery how often VmHWM is read
	// beside the times when memory begins to fall from a new height: the kernel keeps it, so that none is lost between.
	listEvery = 50 * time.Millisecond
	peakEvery = time.Second
	// mostSeldom is the longest time between two looks, however many processes there are.
	mostSeldom = 100 * time.Millisecond
	flushEvery = time.Second
)

func (w *Watcher) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(w.done)
	l := &look{Watcher: w, root: w.o.PID, own: true, every: curve.Every, began: resident.ThreadCPU()}
	l.curve.Work = -1
	if w.o.Family {
		if parent, ok := l.proc.Parent(w.o.PID); ok {
			l.root, l.own = parent, false
		}
	}
	if w.o.Out != nil {
		l.write = curve.NewWriter(w.o.Out, resident.PageSize)
	}
	l.list()
	next := w.start
	for l.look() {
		next = max(next+int64(l.every), resident.Now()-int64(l.every))
		select {
		case <-w.stop:
			l.finish()
			return
		default:
			resident.SleepUntil(next)
		}
	}
	close(w.gone)
	<-w.stop
	l.finish()
}

// list finds the processes of the tree.
func (l *look) list() {
	before := resident.ThreadCPU()
	if l.head == nil {
		l.head, _ = l.proc.Open(l.root)
		if l.own && l.head != nil {
			l.add(l.root)
		}
	}
	if l.head != nil {
		l.descend(l.head)
	}
	for i := 0; i < len(l.members) && len(l.members) < mostProcesses; i++ { // it grows meanwhile
		if l.members[i].PID != l.root {
			l.descend(l.members[i].Open)
		}
	}
	l.listed, l.listing = l.now(), resident.ThreadCPU()-before
}

// mostProcesses bounds a tree that grows faster than it is read.
const mostProcesses = 10_000

// descend adds the children of a process.
func (l *look) descend(o *resident.Open) {
	children, _ := o.Children()
	for _, pid := range children {
		if !slices.ContainsFunc(l.members, func(m *member) bool { return m.PID == pid }) {
			l.add(pid)
		}
	}
}

// add adds a process; one that has ended, and waits for its parent, has no memory.
func (l *look) add(pid int) {
	if o, err := l.proc.Open(pid); err == nil {
		if n, ok := o.Resident(); !ok || n == 0 {
			o.Close()
			return
		}
		m := &member{Open: o}
		if l.curve.Looks == 0 && !l.Watcher.o.Family { // what ran before is none of it
			m.before, _ = resident.CPUTime(pid)
			if s, err := l.proc.Status(pid); err == nil {
				m.ever = s.Peak
			}
		}
		l.members = append(l.members, m)
		l.curve.Seen++
	}
}

// look takes a point; false where no process is left.
func (l *look) look() bool {
	at, before := l.now(), resident.ThreadCPU()
	p := curve.Point{At: at, CPU: l.spent}
	alive := 0
	for _, m := range l.members {
		n, ok := m.Resident()
		if !ok || n == 0 { // it has ended, and may be a zombie yet
			m.gone = true
			continue
		}
		if cpu, ok := resident.CPUTime(m.PID); ok {
			m.cpu = max(m.cpu, cpu-m.before)
		}
		m.last = n
		p.Resident += n
		p.CPU += m.cpu
		alive++
	}
	ended := false
	l.members = slices.DeleteFunc(l.members, func(m *member) bool {
		if m.gone {
			l.spent += m.cpu
			p.CPU += m.cpu
			m.Close()
			ended = true
		}
		return m.gone
	})
	if alive == 0 {
		if l.list(); len(l.members) == 0 {
			return false
		}
		return true
	}
	l.curve.Processes = max(l.curve.Processes, alive)
	l.curve.Looks++
	if l.previous > 0 {
		l.curve.Gap = max(l.curve.Gap, at-l.previous)
	}
	l.previous = at
	l.point(p)
	cost := resident.ThreadCPU() - before
	l.every = min(max(curve.Every, time.Duration(float64(cost)/ofLooks)), mostSeldom)
	if ended || at-l.listed >= max(listEvery, time.Duration(float64(l.listing)/ofLists)) {
		l.list()
	}
	if falls := p.Resident < l.before && l.before > l.known; falls || at-l.peaked >= peakEvery {
		l.known = max(l.known, l.before)
		l.peaks()
	}
	l.before = p.Resident
	l.read(p)
	l.settle(at)
	if l.write != nil && at-l.flushed >= flushEvery {
		if err := l.write.Flush(); err != nil {
			l.err = err
		}
		l.flushed = at
	}
	return true
}

// point takes note of a point.
func (l *look) point(p curve.Point) {
	l.curve.Points = append(l.curve.Points, p)
	if l.write != nil {
		l.write.Point(p)
	}
	since := l.rest.Add(p)
	if l.o.Finds && p.At-since >= curve.Window && l.starves(p.At) {
		l.rest.Busy(p.At)
		since = p.At
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.o.Finds && l.found != Marked {
		l.work, l.found = since, Found
	}
	for _, m := range l.marks {
		l.curve.Marks = append(l.curve.Marks, m)
		if l.write != nil {
			l.write.Mark(m)
		}
	}
	l.marks = nil
}

// starved is at how many looks one after the other some thread has to run, or would if it could: a thread that gives
// memory back does so for a few milliseconds at a time.
const starved = 4

// starves reports whether processes that use little CPU time are not idle, but wait for a processor or a disk.
func (l *look) starves(at time.Duration) bool {
	if l.waits == 0 && at-l.asked < max(curve.Window, time.Duration(float64(l.asking)/ofLists)) {
		return false
	}
	before := resident.ThreadCPU()
	waits := slices.ContainsFunc(l.members, func(m *member) bool { return m.Waits() })
	l.asked, l.asking = at, resident.ThreadCPU()-before
	if l.waits++; !waits || l.waits == starved {
		l.waits = 0
	}
	return waits && l.waits == 0
}

// peaks reads the largest size of each process, which the kernel keeps: none is lost between two looks.
func (l *look) peaks() {
	l.peaked = l.now()
	for _, m := range l.members {
		if s, err := l.proc.Status(m.PID); err == nil && s.Peak > m.ever {
			l.curve.End.Peak = max(l.curve.End.Peak, s.Peak)
		}
	}
}

// worked returns when the work ended; −1: it has not, as far as one knows.
func (l *look) worked() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.work
}

// read reads exactly: at the settled points in any case, and near a new peak as often as its cost allows.
func (l *look) read(p curve.Point) {
	work, due := l.worked(), false
	if all := curve.After(); work >= 0 && p.At-work < all[0] {
		l.settles = 0 // there was work again
	} else if work >= 0 {
		for l.settles < len(all) && p.At-work >= all[l.settles] {
			l.settles++
			due = true
		}
	}
	const more = 1.1 // than at the last reading
	affordable := float64(l.exact) <= ofExact*float64(p.At)
	if !due && !(affordable && float64(p.Resident) > more*float64(l.high)) {
		return
	}
	before := resident.ThreadCPU()
	e := curve.Exact{At: p.At, Cheap: p.Resident}
	for _, m := range l.members {
		s, err := l.proc.Rollup(m.PID)
		if err != nil {
			l.curve.Private = l.curve.Private || !errors.Is(err, resident.ErrGone)
			continue
		}
		e.Resident += s.Resident
		e.Share += s.Share
		e.Swap += s.SwapShare
	}
	l.exact += resident.ThreadCPU() - before
	l.high = max(l.high, p.Resident)
	if e.Resident == 0 || l.curve.Private { // the sum would lack a process
		return
	}
	l.curve.Exact = append(l.curve.Exact, e)
	if l.write != nil {
		l.write.Exact(e)
	}
}

// settle says when the processes have been idle for long enough.
func (l *look) settle(at time.Duration) {
	if work := l.worked(); work >= 0 && at-work >= l.o.Idle {
		select {
		case <-l.settled:
		default:
			close(l.settled)
		}
	}
}

// finish ends the curve.
func (l *look) finish() {
	c := &l.curve
	l.peaks()
	for _, m := range l.members {
		if s, err := l.proc.Status(m.PID); err == nil {
			c.Swap += s.Swap
		}
		m.Close()
	}
	if l.head != nil {
		l.head.Close()
	}
	l.mu.Lock()
	c.Work, c.Found = l.work, l.found
	l.mu.Unlock()
	// A program that ends by itself while it works has no idleness: what is found at its last looks is its end.
	const some = 50 * time.Millisecond
	if c.Found == Found && c.Last()-c.Work < some {
		c.Work, c.Found = -1, ""
	}
	c.How, c.Sampler = l.how, resident.ThreadCPU()-l.began
	if l.write != nil {
		if err := l.write.End(c.End); err != nil && l.err == nil {
			l.err = err
		}
	}
	l.result = c
}
