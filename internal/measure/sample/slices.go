package sample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

const (
	// mostIdle is the share of a CPU that a process may use while it waits for its turn. One
	// that uses more has goroutines of its own beside the benchmark, which would run into the
	// turns of the others.
	mostIdle = 0.1
	// toWait is the CPU time that going to sleep and waking up take, on a busy machine.
	toWait = 300 * time.Microsecond
	// leastTimed is the part of its turns' CPU time that must be timed. Where the set-up of a
	// benchmark takes long, or its heap is large, a process that runs alone tells more in the
	// time: it does that once.
	leastTimed = 0.2
	// longestTurn and turnPerLoop bound the time of a turn, in which a benchmark may wait and use
	// no CPU. On a busy machine a turn takes many times as long as its loop.
	longestTurn = 500 * time.Millisecond
	turnPerLoop = 50
	// farApart is how many times as long as another side one may take. Slices of a length that
	// suits one would be far too short for the other, and such a difference needs none.
	farApart = 4
	// looks is the number of turns of each process before that is judged.
	looks = 4
)

// takeNext takes the sample of the i-th task, together with those of its case behind it whose
// processes take turns with it; taken reports those that are there already. It returns the records
// in the order of the tasks.
func (e *Engine) takeNext(ctx context.Context, tasks []plan.Task, i int,
	taken func(plan.Task) bool) ([]*benchfmt.Result, error) {
	first := tasks[i]
	var ts []plan.Task
	guarded := false // in the rounds of the sieve, which compares a quarter with the sample itself
	for _, t := range tasks {
		guarded = guarded || t.Case == first.Case && t.Role == plan.Quarter &&
			e.quarters(cell{t.Case, t.Side}, t.Round) < plan.SieveRounds
	}
	for _, t := range tasks[i:] {
		if t.Case != first.Case {
			break
		}
		if t.Role != plan.Quarter && !taken(t) {
			ts = append(ts, t)
		}
	}
	switch {
	case guarded:
	case first.Role == plan.Quarter:
		if e.inSlices[first.Case] {
			return e.takeQuarter(ctx, first)
		}
	case e.sliced(ts):
		return e.takeSliced(ctx, ts)
	}
	r, err := e.take(ctx, first)
	return []*benchfmt.Result{r}, err
}

// takeQuarter takes a sample with a quarter of the iterations and one with all of them, in an
// order that a coin decides: the sample of slices is not what the first can be compared with.
func (e *Engine) takeQuarter(ctx context.Context, t plan.Task) (out []*benchfmt.Result, err error) {
	whole := t
	whole.Role, whole.N = plan.Whole, e.Plan.Cases[t.Case].N
	ts := []plan.Task{whole, t}
	if rng := e.coins(t); rng.IntN(2) == 1 {
		slices.Reverse(ts)
	}
	for _, t := range ts {
		r, err := e.take(ctx, t)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// coins returns the random choices of a case in a round.
func (e *Engine) coins(t plan.Task) *rand.Rand {
	return rand.New(rand.NewPCG(e.Plan.Options.Seed, uint64(t.Round)<<32+uint64(t.Case)))
}

// sliced reports whether tasks next to each other may be taken as slices: one case on two
// configurations or more, with or without the second copy of one, all of whose programs can take
// turns. How often its collector runs must be known from samples of processes that ran alone.
func (e *Engine) sliced(ts []plan.Task) bool {
	if e.Plan.Options.Slices == 0 || runtime.GOOS == "windows" || len(ts) == 0 ||
		e.alone[ts[0].Case] != "" || !e.Plan.InTurns(e.Plan.Cases[ts[0].Case]) {
		return false
	}
	arms := 0
	for _, t := range ts {
		target, err := e.Executor.Target(e.Plan.Cases[t.Case], t.Side, t.Layout)
		if t.Case != ts[0].Case || t.Role == plan.Quarter || err != nil || !target.Turns {
			return false
		}
		if t.Role == plan.Main {
			arms++
		}
	}
	if arms < 2 {
		return false
	}
	_, _, ok := e.sliceOf(ts)
	return ok
}

// sliceOf returns how many slices the samples of the tasks have, and how many iterations of its case
// each task has in one.
func (e *Engine) sliceOf(ts []plan.Task) (n []int64, slices int, ok bool) {
	loops := make([]plan.Loop, len(ts))
	for i, t := range ts {
		if loops[i], ok = e.loopOf(ts, t.Case); !ok {
			return nil, 0, false
		}
	}
	return e.Plan.Slices(e.Plan.Cases[ts[0].Case].Study, loops...)
}

// loopOf returns what is known of a case on the sides of those tasks that are of it. On a busy machine
// calibration finds that an operation takes far longer than it does: the least time that was seen
// counts.
func (e *Engine) loopOf(ts []plan.Task, c int) (l plan.Loop, ok bool) {
	fastest, slowest := math.Inf(1), 0.0
	for _, t := range ts {
		if t.Case != c {
			continue
		}
		t.Role = plan.Main
		ran, known := e.ran[e.id(t)]
		if !known {
			return l, false
		}
		if ran.cycles > 0 && (l.Cycles == 0 || ran.cycles < l.Cycles) { // of the sides whose collector runs
			l.Cycles = ran.cycles
		}
		if ran.sec > 0 {
			fastest, slowest = min(fastest, ran.sec), max(slowest, ran.sec)
		}
	}
	l.Sec = e.Plan.Cases[c].Estimate
	if slowest > 0 {
		l.Sec = min(l.Sec, slowest)
	}
	return l, slowest <= farApart*fastest
}

// takeSliced runs one process for each task, in turns, and makes their records. In a run they are of one case:
// the ratio of two would be another one (docs/decisions/0009-slices.md).
// The record of one that crashed says so; the others then have one of a process that runs alone.
func (e *Engine) takeSliced(ctx context.Context, ts []plan.Task) ([]*benchfmt.Result, error) {
	c := e.Plan.Cases[ts[0].Case]
	beside, err := startLoad(ctx, e.Executor.Runner.Trace, c)
	if err != nil {
		return nil, err
	}
	defer beside.Stop()
	used := cpuOf(beside, e.Load)
	before, _ := e.Sampler.Snapshot()
	x, err := e.takeTurns(ctx, ts)
	after, _ := e.Sampler.Snapshot()
	used = cpuOf(beside, e.Load) - used
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	for _, p := range x.processes {
		p.res.Wall = p.wall
	}
	if err := beside.Stop(); err != nil {
		x.failed, x.alone = -1, "what was to run beside it had ended"
	}
	var made []*benchfmt.Result
	if x.alone == "" && x.failed < 0 {
		made, x.alone = x.results(e.Plan.Cases, ts)
	}
	if e.alone == nil {
		e.alone, e.inSlices = map[int]string{}, map[int]bool{}
	}
	e.alone[ts[0].Case], e.inSlices[ts[0].Case] = x.alone, made != nil
	what := before.Until(after)
	out := make([]*benchfmt.Result, len(ts))
	for i, t := range ts {
		if made == nil && i != x.failed {
			if out[i], err = e.take(ctx, t); err != nil {
				return nil, err
			}
			continue
		}
		p := x.processes[i]
		if made != nil {
			out[i] = made[i]
			e.describe(out[i], t, "")
		} else {
			o := parse(p.res.Stdout, e.Plan.Cases[t.Case].Procs)
			o.results = nil
			out[i] = e.record(t, p.res, o)
		}
		e.addCosts(out[i], t, p.res, x.shareOf(p, what), time.Duration(float64(used)*x.share(p)))
	}
	return out, nil
}

// turns are the processes that took turns.
type turns struct {
	processes []*process
	slices    int
	failed    int    // the one that crashed or took too long; -1 is none
	alone     string // why the case is to be measured by processes that run alone
}

// takeTurns runs the processes until all have ended.
func (e *Engine) takeTurns(ctx context.Context, ts []plan.Task) (x turns, err error) {
	n, slices, _ := e.sliceOf(ts)
	x.slices, x.failed = slices, -1
	defer func() {
		for _, p := range x.processes {
			p.close()
		}
	}()
	limit := e.Plan.Options.Timeout
	var loop time.Duration
	for i, t := range ts {
		c := e.Plan.Cases[t.Case]
		loop = max(loop, time.Duration(float64(n[i])*c.Estimate*float64(time.Second)))
		target, err := e.Executor.Target(c, t.Side, t.Layout)
		if err != nil {
			return x, err
		}
		// A task may have other iterations than the case: so the known slowdowns of certify.
		t.N = max(2, int64(float64(n[i])*float64(t.N)/float64(c.N)+0.5))
		cmd := Command(e.Plan, t, target)
		cmd.Args = append([]string{"-test.count=" + strconv.Itoa(slices+1)}, cmd.Args...)
		p, err := startProcess(ctx, e.Executor.Runner, cmd)
		if err != nil {
			return x, fmt.Errorf("starting a process that takes turns: %w", err)
		}
		x.processes = append(x.processes, p)
		if !p.wait(limit) {
			return x, x.over(i)
		}
	}
	rng := e.coins(ts[0])
	part := rng.IntN(256)
	for k := range slices {
		for _, i := range rng.Perm(len(ts)) {
			if err := x.processes[i].goOn(byte(part)); err != nil {
				return x, fmt.Errorf("giving a process its turn: %w", err)
			}
			if more := x.processes[i].wait(limit); more != (k < slices-1) {
				return x, x.over(i)
			}
		}
		part += golden
		if k+1 == looks && (x.timed() < leastTimed || x.slow(loop)) {
			x.alone = "most of the time would go into what stands between the slices"
			return x, nil
		}
	}
	return x, nil
}

// timed returns the part of the CPU time of its turns that was timed, but for the first, of the
// process where that is the smallest.
func (x *turns) timed() float64 {
	least := 1.0
	for _, p := range x.processes {
		least = min(least, stat.Median(p.timed[min(1, len(p.timed)):]))
	}
	return least
}

// slow reports whether the turns of a process take far longer than its loop, which takes so long.
func (x *turns) slow(loop time.Duration) bool {
	for _, p := range x.processes {
		if p.wall > (looks+1)*max(longestTurn, turnPerLoop*loop) {
			return true
		}
	}
	return false
}

// golden is the golden section of 256: its multiples spread evenly, however many are taken. So
// the slices of a sample begin at all stages of a cycle of the collector alike.
const golden = 159

// over says what it means that a process ended, or waits, when it should not.
func (x *turns) over(i int) error {
	p := x.processes[i]
	p.close() // which makes its result known
	if p.err != nil && !errors.Is(p.err, errStopped) {
		return p.err
	}
	switch {
	case p.late:
		p.res.TimedOut, p.res.Wall = true, p.wall
		x.failed = i
	case p.err == nil && p.res.ExitCode != 0:
		x.failed = i
	default:
		x.alone = "it does not take turns"
	}
	return nil
}

// results makes one result of each process's slices, or says why it cannot.
func (x *turns) results(cases []plan.Case, ts []plan.Task) (out []*benchfmt.Result, alone string) {
	var all [][]*benchfmt.Result
	var times [][]float64
	for i, p := range x.processes {
		c := cases[ts[i].Case]
		o := parse(p.res.Stdout, c.Procs)
		if p.err != nil || p.res.ExitCode != 0 || len(o.failed) > 0 { // a later pass that fails leaves the status 0
			x.failed = i
			return nil, ""
		}
		var of []*benchfmt.Result
		for _, r := range o.results {
			if series.SameUnits(r); string(r.Name) == c.Printed() && secPerOp(r) > 0 {
				of = append(of, r)
			}
		}
		if len(of) != x.slices+1 {
			return nil, "what it prints is not a result for each slice"
		}
		of = of[1:] // the first one did not wait: it warms up
		var sec []float64
		for _, r := range of {
			sec = append(sec, secPerOp(r))
		}
		all, times = append(all, of), append(times, sec)
	}
	for i, sec := range stat.TwoWay(times) {
		r := series.Merge(all[i], sec)
		if idle, ok := r.Value(series.UnitIdleCPU); !ok || idle > x.mayUse(i) {
			return nil, "it goes on while it waits for its turn"
		}
		out = append(out, r)
	}
	return out, ""
}

// mayUse returns the CPU time in seconds that a process may use while the others have their turns.
func (x *turns) mayUse(i int) float64 {
	var others time.Duration
	for j, p := range x.processes {
		if j != i {
			others += p.wall
		}
	}
	return mostIdle*others.Seconds() + float64(x.slices)*toWait.Seconds()
}

// share returns the part of the time of all turns that a process's own took.
func (x *turns) share(p *process) float64 {
	var sum time.Duration
	for _, q := range x.processes {
		sum += q.wall
	}
	return p.wall.Seconds() / max(sum.Seconds(), 1e-9)
}

// shareOf returns what the machine did in a process's own turns, as its part of what it did in
// all of them: the kernel counts in ticks that are longer than a turn. The other processes that
// take turns are no other programs.
func (x *turns) shareOf(p *process, all machine.Interference) machine.Interference {
	part, own := x.share(p), 0.0
	for _, q := range x.processes {
		own += (q.res.Usage.User + q.res.Usage.Sys).Seconds()
	}
	mine := (p.res.Usage.User + p.res.Usage.Sys).Seconds()
	// The caller subtracts this process's own time from what remains.
	others := all.Foreign(own) * part
	return machine.Interference{Wall: all.Wall * part, Steal: all.Steal * part, Busy: others + mine,
		PSICPU: all.PSICPU * part, PSIMemory: all.PSIMemory * part, PSIIO: all.PSIIO * part}
}

// slicesVar makes a test binary with the changed testing package take turns.
const slicesVar = "MEMCOST_SLICES"

// A process is one of several processes that take turns. A turn is all that a process does before
// its first wait, or between two. Only one process runs at any time; the others wait in a read.
// The changed testing package waits before each pass that is timed, behind runtime.GC, until a
// byte says that it is its turn.
type process struct {
	give  *os.File // a byte written here is its turn
	over  *os.File // a byte read here is the end of its turn
	ends  []*os.File
	said  chan byte     // which was read
	ended chan struct{} // the process has ended
	stop  context.CancelFunc

	res   proc.Result // when ended
	err   error
	wall  time.Duration // of its turns
	late  bool          // it was stopped for its time limit
	timed []float64     // the part of each turn that was timed
}

// turnsEnv returns the environment of a process that takes turns. Its runtime keeps the heap's free memory while it waits
// (MADV_FREE in place of MADV_DONTNEED, runtime/mem_linux.go since Go 1.12): else whatever allocates would take the first
// loops of each turn to have its pages again, which no process does that runs on.
func turnsEnv(env []string) []string {
	const name, keep = "GODEBUG=", "madvdontneed="
	debug, rest := "", make([]string, 0, len(env)+2)
	for _, x := range env {
		if strings.HasPrefix(x, name) {
			debug = strings.TrimPrefix(x, name)
		} else {
			rest = append(rest, x)
		}
	}
	if !strings.Contains(debug, keep) {
		debug = strings.TrimPrefix(debug+","+keep+"0", ",")
	}
	return append(rest, name+debug, slicesVar+"=1")
}

// errStopped is why a process is ended before its end.
var errStopped = errors.New("stopped with the others")

// startProcess starts a process; its first turn has begun. The caller closes it.
func startProcess(ctx context.Context, r *proc.Runner, cmd proc.Cmd) (*process, error) {
	p := &process{said: make(chan byte, 1), ended: make(chan struct{})}
	read, give, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	over, write, err := os.Pipe()
	if err != nil {
		read.Close()
		give.Close()
		return nil, err
	}
	p.give, p.over, p.ends = give, over, []*os.File{read, write}
	cmd.Files, cmd.Timeout = p.ends, 0
	cmd.Env = turnsEnv(cmd.Env)
	limited, cancel := context.WithCancelCause(ctx)
	p.stop = func() { cancel(errStopped) }
	go func() {
		defer close(p.ended)
		p.res, p.err = r.Run(limited, cmd)
	}()
	go func() {
		var b [1]byte
		for {
			if n, err := over.Read(b[:]); n != 1 || err != nil {
				return
			}
			select {
			case p.said <- b[0]:
			case <-p.ended:
				return
			}
		}
	}()
	return p, nil
}

// close ends the process, if it runs, and waits for its end.
func (p *process) close() {
	p.stop()
	<-p.ended
	p.give.Close()
	p.over.Close()
	for _, f := range p.ends {
		f.Close()
	}
}

// goOn begins the process's next turn. Before its loop, part of the room that the heap has until
// the next collection is filled, in 256ths.
func (p *process) goOn(part byte) error {
	_, err := p.give.Write([]byte{part})
	return err
}

// wait returns when the turn is over, and reports whether another can follow. A process whose
// turns take longer than the limit together is stopped.
func (p *process) wait(limit time.Duration) (more bool) {
	began := time.Now()
	defer func() { p.wall += time.Since(began) }()
	var timeout <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit - p.wall)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case timed := <-p.said:
		p.timed = append(p.timed, float64(timed)/255)
		return true
	case <-p.ended:
		return false
	case <-timeout:
		p.late = true
		p.stop()
		<-p.ended
		return false
	}
}
