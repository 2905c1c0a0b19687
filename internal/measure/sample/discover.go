package sample

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// Discover finds the cases of every study and calibrates them: see List and Calibrate.
// progress is called with the number of cases that are done and known so far.
func (l *Executor) Discover(ctx context.Context, p *plan.Plan, progress func(done, known int)) error {
	if err := l.List(ctx, p); err != nil {
		return err
	}
	return l.Calibrate(ctx, p, 0, progress)
}

// List finds the cases of every study by running each benchmark once on its discoveryArm, or
// on each of those that ListOn names. A benchmark that does not survive this becomes a Failure, and the others go on.
func (l *Executor) List(ctx context.Context, p *plan.Plan) error {
	began := time.Now()
	defer func() { p.Prepared += time.Since(began) }()
	for s := range p.Studies {
		if err := l.listStudy(ctx, p, s); err != nil {
			return err
		}
	}
	var err error
	if p.Cases, err = l.besideLoads(p.Cases); err != nil {
		return err
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool { return l.Skip != nil && l.Skip(c) })
	return nil
}

// besideLoads puts, in place of each case that is measured beside loads, one case for each
// of them.
func (l *Executor) besideLoads(cases []plan.Case) ([]plan.Case, error) {
	if l.Loads == nil {
		return cases, nil
	}
	var out []plan.Case
	for _, c := range cases {
		loads := l.Loads(c)
		if _, own := language.Keys(benchfmt.Name(c.Name)).Get(plan.BusyKey); own && len(loads) > 0 {
			return nil, hint.Usage("give the key another name, or leave the benchmark out with -b",
				"%s has a key %s= in its name, which the load beside a case is to have", c.Name, plan.BusyKey)
		}
		if len(loads) == 0 {
			out = append(out, c)
		}
		for _, load := range loads {
			out = append(out, c.Beside(load, l.CPUs))
		}
	}
	return out, nil
}

// Calibrate finds, for each case of the plan from the given one on, the N of a sample, without
// a load beside it: so the loads of a case run the same N. Cases that are of use together
// (Executor.Batches) are calibrated together, those that are needed most first. With a budget it
// ends where the rounds of what is calibrated would take the rest of it; the others are then
// in the plan's NotReached. One batch is always calibrated.
func (l *Executor) Calibrate(ctx context.Context, p *plan.Plan, from int, progress func(done, known int)) error {
	c := &calibration{Executor: l, plan: p, from: from, reached: make([]bool, len(p.Cases)), progress: progress,
		began: time.Now(), failures: len(p.Failures), many: make(chan struct{}, runtime.NumCPU())}
	p.NotReached = nil
	err := c.all(ctx)
	c.keep()
	p.Prepared += time.Since(c.began)
	return err
}

// A calibration is that of the cases of a plan.
type calibration struct {
	*Executor
	plan     *plan.Plan
	from     int    // the first of those that are to be calibrated
	first    []int  // the case as which each one is calibrated
	reached  []bool // by case
	started  int
	began    time.Time
	failures int // known before
	many     chan struct{}
	wait     sync.WaitGroup
	progress func(done, known int)

	// Guarded by the executor's lock.
	failed      error
	done, known int
	need        time.Duration // of the rounds of what is calibrated
}

// all calibrates batch after batch, where a harness allows it as many cases at a time as there
// are processors.
func (c *calibration) all(ctx context.Context) error {
	c.first = firstOfEach(c.plan.Cases)
	batches := c.batches()
	for i := range c.plan.Cases {
		if i >= c.from && c.first[i] == i {
			c.known++
		}
	}
	for _, batch := range batches {
		if !c.room() {
			break
		}
		for _, i := range batch {
			if c.reached[i] {
				continue
			}
			c.reached[i] = true
			if as := c.first[i]; as != i && (as < c.from || c.reached[as]) {
				continue // calibrated without this load already
			} else if err := c.one(ctx, as); err != nil {
				return err
			}
		}
	}
	c.wait.Wait()
	return cmp.Or(c.failed, context.Cause(ctx))
}

// batches returns the cases in the order in which they are to be calibrated.
func (c *calibration) batches() [][]int {
	var out [][]int
	if c.Batches != nil {
		for _, batch := range c.Batches(c.plan.Cases) {
			if batch = slices.DeleteFunc(slices.Clone(batch), func(i int) bool { return i < c.from }); len(batch) > 0 {
				out = append(out, batch)
			}
		}
		return out
	}
	for i := c.from; i < len(c.plan.Cases); i++ {
		out = append(out, []int{i})
	}
	return out
}

// one calibrates a case.
func (c *calibration) one(ctx context.Context, i int) error {
	c.reached[i], c.started = true, c.started+1
	x := &c.plan.Cases[i]
	h := harnessOf(c.plan.Kind(*x))
	if !h.sideBySide() {
		c.wait.Wait()
		c.report(i, h.calibrate(ctx, c.Executor, c.plan, x))
		return c.failed
	}
	c.many <- struct{}{}
	c.wait.Go(func() {
		defer func() { <-c.many }()
		if ctx.Err() == nil {
			c.report(i, h.calibrate(ctx, c.Executor, c.plan, x))
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

func (c *calibration) report(i int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = cmp.Or(c.failed, err)
	c.done++
	for j, as := range c.first {
		if as == i && j >= c.from {
			x := c.plan.Cases[j]
			calibratedAs(&x, c.plan.Cases[i])
			c.need += guardRounds(c.plan, x)
		}
	}
	c.progress(c.done, c.known)
}

// guardRounds returns the time that a case takes in the rounds before which nothing is
// decided, with their guards, and a tenth for what lies between the samples.
func guardRounds(p *plan.Plan, x plan.Case) time.Duration {
	alone := *p
	alone.Sieve, alone.Doubles, alone.Suspects = true, nil, nil // they are not chosen yet
	alone.Cases = []plan.Case{x}
	_, guarded := alone.CaseTime(0)
	return guarded * plan.GuardRounds * 11 / 10
}

// room reports whether the budget has room for the calibration and the rounds of one more
// batch.
//
// The share of the calibration is not fixed: a case that is calibrated and then has less than
// the rounds of a first verdict was calibrated for nothing, and it takes time from those that
// are needed more.
func (c *calibration) room() bool {
	if c.Budget <= 0 || c.started == 0 {
		return true
	}
	if c.started <= cap(c.many) {
		c.wait.Wait() // until something is known of what a case takes
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	spent := time.Since(c.began)
	next := (spent + c.need) / time.Duration(max(c.done, 1))
	return c.plan.Prepared+spent+c.Owed+c.need+next < c.Budget
}

// keep leaves in the plan what was calibrated: of the others, those that failed are among the
// failures, and those that were not reached are named.
func (c *calibration) keep() {
	p := c.plan
	var kept []plan.Case
	for i, x := range p.Cases {
		switch as := p.Cases[c.first[i]]; {
		case i < c.from:
			kept = append(kept, x)
		case !c.reached[i]:
			p.NotReached = append(p.NotReached, plan.Left{Study: x.Study, Name: x.Name})
		case as.N > 0:
			calibratedAs(&x, as)
			kept = append(kept, x)
		}
	}
	p.Cases = kept
	slices.SortStableFunc(p.Failures[c.failures:], func(a, b plan.Failure) int {
		return cmp.Or(cmp.Compare(a.Study, b.Study), cmp.Compare(a.Name, b.Name))
	})
}

// calibratedAs gives a case what calibration found of another, which it is but for its load.
func calibratedAs(x *plan.Case, as plan.Case) {
	x.N, x.Estimate, x.Short, x.StartUp = as.N, as.Estimate, as.Short, as.StartUp
}

// firstOfEach returns for each case the first one that differs from it in nothing but the
// load beside it.
func firstOfEach(cases []plan.Case) (first []int) {
	type printed struct {
		study int
		name  string
	}
	at := map[printed]int{}
	for i, c := range cases {
		key := printed{c.Study, c.Printed()}
		if _, known := at[key]; !known {
			at[key] = i
		}
		first = append(first, at[key])
	}
	return first
}

// guess returns the processor's time for an iteration of the same case in other variants, in
// seconds: of several the longest, for what a try of too few iterations costs is little.
func (l *Executor) guess(c plan.Case) (float64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sec, ok := l.costs[c.Call]
	return sec, ok
}

// found keeps what was found of a case.
func (l *Executor) found(c plan.Case, sec float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.costs == nil {
		l.costs = map[string]float64{}
	}
	l.costs[c.Call] = max(l.costs[c.Call], sec)
}

const (
	leastBuffer = 64 << 20
	// mostBuffer is also the buffer where the caches are not known.
	mostBuffer = 256 << 20

	// freeShare is the part of the free memory that all buffers may take together.
	freeShare = 0.25
)

// bufferSize returns the bytes of the buffer of each of n streaming processes: twice the
// last-level cache, and less where little memory is free.
func bufferSize(n int) (int, error) {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return 0, err
	}
	return sizeFor(fp, n)
}

func sizeFor(fp machine.Fingerprint, n int) (int, error) {
	cache := lastLevel(fp)
	size, least := int64(mostBuffer), int64(leastBuffer)
	if cache > 0 {
		// A cache of more than 200 MiB needs more than mostBuffer.
		least = max(cache+cache/4, chunk)
		size = max(min(max(2*cache, leastBuffer), mostBuffer), least)
	}
	free := fp.MemoryAvailableBytes
	if fp.CgroupMemoryBytes > 0 && (free == 0 || fp.CgroupMemoryBytes < free) {
		free = fp.CgroupMemoryBytes
	}
	if free <= 0 { // the system does not say
		return int(size), nil
	}
	if size = min(size, int64(freeShare*float64(free))/int64(n)); size < least {
		return 0, hint.New("use fewer of them, or free some memory",
			"%d processes that stream through memory need %s each, more than the last-level cache; only %s are free",
			n, units.Bytes(least), units.Bytes(free))
	}
	return int(size), nil
}

// lastLevel returns the bytes of the largest cache of the highest level, 0 where it is not
// known.
func lastLevel(fp machine.Fingerprint) int64 {
	level, bytes := 0, int64(0)
	for _, c := range fp.Caches {
		if c.Level > level {
			level, bytes = c.Level, 0
		}
		if c.Level == level {
			bytes = max(bytes, c.Bytes)
		}
	}
	return bytes
}

// listStudy adds the cases of a study to the plan: those that all arms have on which they are
// looked for.
func (l *Executor) listStudy(ctx context.Context, p *plan.Plan, study int) error {
	var on []int
	if l.ListOn != nil {
		on = l.ListOn(study)
	}
	if len(on) < 2 {
		return l.listKinds(ctx, p, study)
	}
	var found [][]plan.Case
	for _, arm := range on {
		one := *p
		one.Cases, one.Failures = nil, nil
		one.Studies = slices.Clone(p.Studies)
		one.Studies[study].Sides = []int{arm}
		if err := l.listKinds(ctx, &one, study); err != nil {
			return err
		}
		found = append(found, one.Cases)
		p.Failures = append(p.Failures, one.Failures...)
	}
	both, oneSided := plan.OnAll(p, study, on, found)
	p.Cases = append(p.Cases, both...)
	if len(oneSided) > 0 {
		l.OneSided(oneSided)
	}
	return nil
}

func (l *Executor) listKinds(ctx context.Context, p *plan.Plan, study int) error {
	kinds := []plan.Kind{p.Studies[study].Kind(), plan.Program}
	if p.Studies[study].Beside != nil {
		kinds = append(kinds, plan.GoogleBenchmark)
	}
	for _, kind := range kinds {
		if err := harnessOf(kind).list(ctx, l, p, study); err != nil {
			return err
		}
	}
	return nil
}
