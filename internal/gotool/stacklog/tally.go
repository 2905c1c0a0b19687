package stacklog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// tally adds events to a Log in bounded memory.
type tally struct {
	log        *Log
	events     int
	each       func(Event)
	off        bool // events do not count: before Options.From, after Until
	sizes      [64]Size
	steps      map[stepKey]*Step
	sites      map[siteKey]*Site
	goroutines goroutines
	stacks     stacks
}

type (
	stepKey struct {
		kind     Kind
		from, to uint8
	}
	siteKey struct{ pc, caller uint64 }
)

func newTally(o Options) *tally {
	t := &tally{events: o.Events, each: o.Event, goroutines: newGoroutines(o.Goroutines),
		stacks: stacks{pages: map[uint64]*page{}}}
	t.reset()
	return t
}

// reset forgets the figures, not the stacks.
func (t *tally) reset() {
	t.log = new(Log)
	t.sizes = [64]Size{}
	t.steps, t.sites = map[stepKey]*Step{}, map[siteKey]*Site{}
	t.goroutines.forget()
}

// event takes one event. Its sizes are powers of two.
func (t *tally) event(e Event) {
	switch e.Kind {
	case Alloc:
		e.Reused = t.stacks.alloc(e.Addr)
	case Free:
		t.stacks.free(e.Addr)
		t.goroutines.free(e.Addr)
	case Grow, Shrink, Move:
		t.goroutines.change(e)
	}
	if t.off {
		return
	}
	t.count(e)
	if t.each != nil {
		t.each(e)
	}
}

func (t *tally) count(e Event) {
	from, _ := order(e.From)
	to, _ := order(e.To)
	switch l := t.log; e.Kind {
	case Alloc:
		l.Allocs.add(e.To)
		t.sizes[to].Allocs++
		if l.Smallest == 0 || e.To < l.Smallest {
			l.Smallest = e.To
		}
		if e.Reused {
			l.Reused++
			t.sizes[to].Reused++
		}
	case Free:
		l.Frees.add(e.From)
		t.sizes[from].Frees++
	case CacheRefill:
		t.sizes[to].CacheRefills++
	case CacheRelease:
		t.sizes[from].CacheReleases++
	case CacheClear:
		l.CacheClears++
	case Grow:
		l.Grows.add(e.Used)
		l.Largest = max(l.Largest, e.To)
		t.site(e)
		t.step(e, from, to)
	case Shrink:
		l.Shrinks.add(e.Used)
		t.step(e, from, to)
	case Move:
		l.Moves.add(e.Used)
		t.step(e, from, to)
	}
}

func (t *tally) step(e Event, from, to uint8) {
	key := stepKey{e.Kind, from, to}
	s := t.steps[key]
	if s == nil {
		s = &Step{Kind: e.Kind, From: e.From, To: e.To, UsedMin: e.Used}
		t.steps[key] = s
	}
	s.N++
	s.Used += int64(e.Used)
	s.UsedMin, s.UsedMax = min(s.UsedMin, e.Used), max(s.UsedMax, e.Used)
	if len(t.log.Growths) < t.events {
		t.log.Growths = append(t.log.Growths, e)
	}
}

func (t *tally) site(e Event) {
	key := siteKey{e.PC, e.CallerPC}
	s := t.sites[key]
	if s == nil {
		if len(t.sites) >= maxSites {
			key = siteKey{}
		}
		if s = t.sites[key]; s == nil {
			s = &Site{PC: key.pc, CallerPC: key.caller}
			t.sites[key] = s
		}
	}
	s.N++
	s.Used += int64(e.Used)
	s.To = max(s.To, e.To)
}

func (t *tally) warn(format string, args ...any) {
	t.log.Warnings = append(t.log.Warnings, fmt.Errorf(format, args...))
}

// finish moves the figures into the Log, sorted.
func (t *tally) finish() *Log {
	l := t.log
	for o, s := range t.sizes {
		if s.Size = 1 << o; s != (Size{Size: s.Size}) {
			l.Sizes = append(l.Sizes, s)
		}
	}
	for _, s := range t.steps {
		l.Steps = append(l.Steps, *s)
	}
	slices.SortFunc(l.Steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	for _, s := range t.sites {
		if !l.Trace {
			l.Sites = append(l.Sites, *s)
		}
	}
	slices.SortFunc(l.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(b.Used, a.Used), cmp.Compare(a.PC, b.PC),
			cmp.Compare(a.CallerPC, b.CallerPC))
	})
	t.goroutines.finish()
	l.Chains = slices.SortedFunc(maps.Values(t.goroutines.chains), func(a, b Chain) int {
		return cmp.Or(cmp.Compare(b.N, a.N), slices.Compare(a.Sizes, b.Sizes))
	})
	l.Goroutines, l.Lost, l.Doubtful = t.goroutines.top, t.goroutines.lost, t.goroutines.doubtful
	if l.Doubtful > 0 {
		t.warn("%d chains are left out, because sizes seem to be missing from them", l.Doubtful)
	}
	slices.SortFunc(l.Goroutines, func(a, b Goroutine) int {
		return cmp.Or(cmp.Compare(b.Copied, a.Copied), cmp.Compare(a.G, b.G))
	})
	if l.Lost > 0 {
		t.warn("%d goroutines more than can be followed at a time grew: they are in the totals, and in no chain",
			l.Lost)
	}
	if len(t.stacks.pages) >= maxPages {
		t.warn("stacks lie in more memory than can be followed: some allocations that were reuse count as fresh")
	}
	return l
}
