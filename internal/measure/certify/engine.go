package certify

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/certificate"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// keyBatch says in the file of samples which batch a sample belongs to.
const keyBatch = "batch"

// An Engine measures the batches of an attempt.
type Engine struct {
	Attempt *Attempt
	Folder  *store.Folder
	// Take takes the sample of the first task of a batch, and those of as many behind it as take
	// turns with it.
	Take func(ctx context.Context, p *plan.Plan, pools [][]int, tasks []plan.Task) ([]*benchfmt.Result, error)
	// Load starts what a condition wants to run beside the samples; stop ends it, and says if
	// it had not run all the time.
	Load     func(ctx context.Context, condition string) (stop func() error, err error)
	Now      func() time.Time
	Progress func(Progress)

	tally   tally
	kept    map[int][]*benchfmt.Result // samples of the batches, by number
	perTask map[taskKind]float64       // seconds of a sample
}

// Progress is how far an attempt has come.
type Progress struct {
	Comparisons, Wanted int // of identical copies
	Alarms              int
	Known, Covered      int
	Condition           string
	Elapsed, Left       time.Duration
}

// String says it in a line.
func (x Progress) String() string {
	says := fmt.Sprintf("%d/%d comparisons (%s), false alarms: %d", x.Comparisons, x.Wanted, x.Condition, x.Alarms)
	if x.Known > 0 {
		says += fmt.Sprintf(", known slowdowns covered: %d of %d", x.Covered, x.Known)
	}
	return says + fmt.Sprintf(", about %v left", x.Left.Round(time.Second))
}

// A taskKind is what the time of a sample depends on.
type taskKind struct {
	condition string
	turns     bool
}

// firstGuess is what a sample takes before one was taken, in seconds.
const firstGuess = 0.03

// Run measures until all comparisons were made, the budget is spent or ctx is done. It returns
// what was reached in any case; where samples could not be taken or kept, with the error.
func (e *Engine) Run(ctx context.Context) (*certificate.Certificate, error) {
	defer sample.Quiet()()
	e.perTask = map[taskKind]float64{}
	err := e.readKept()
	for i := 0; err == nil && i < e.wanted(); i++ {
		if i == len(e.Attempt.Batches) {
			if !e.next(i) {
				break
			}
		}
		if b := e.Attempt.Batches[i]; b.Done {
			e.count(i)
			continue
		}
		err = e.batch(ctx, i)
	}
	if err == nil {
		e.Attempt.Ended = len(e.Attempt.Batches) >= e.wanted() // else a longer budget goes on with it
		err = e.Folder.WriteQuestion(e.Attempt)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		err = session.Interrupted("memcost certify --resume")
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		err = hint.With("free some room, then go on with: memcost certify --resume",
			fmt.Errorf("the disk with %s is full; what was measured so far is kept", e.Folder.Dir))
	}
	return e.tally.certificate(e.Attempt, e.Now()), err
}

// wanted returns how many batches there are to be: whole turns through the conditions, and one
// more for each that does not count.
func (e *Engine) wanted() int {
	turn := len(Conditions()) * len(e.Attempt.Cases)
	n := (e.Attempt.Options.Wanted + turn - 1) / turn * len(Conditions())
	for _, b := range e.Attempt.Batches {
		if b.Void != "" {
			n++
		}
	}
	return n
}

// next plans a batch, as many known slowdowns in it as the time that is left allows; false
// when there is no time for it.
func (e *Engine) next(i int) bool {
	a := e.Attempt
	b := Batch{Condition: Conditions()[i%len(Conditions())]}
	left := (a.Options.Budget - a.Spent).Seconds()
	if left < e.least(i) {
		return false
	}
	room := left
	for j := i; j < e.wanted(); j++ {
		room -= e.least(j)
	}
	rounds := float64(a.Options.Rounds * len(Slowdowns()))
	more := int(room / float64(e.wanted()-i) / (e.secondsOf(e.kindOf(i)) * rounds))
	known := 1 + max(0, min(more, len(a.Cases)-1))
	rng := rand.New(rand.NewPCG(a.Options.Seed, 0x4001<<32+uint64(i)))
	b.Known = slices.Sorted(slices.Values(rng.Perm(len(a.Cases))[:known]))
	a.Batches = append(a.Batches, b)
	return true
}

// kindOf returns what the time of a batch's samples depends on.
func (e *Engine) kindOf(batch int) taskKind {
	return taskKind{Conditions()[batch%len(Conditions())], e.Attempt.Options.takesTurns(batch)}
}

// least returns what a batch takes with a single case of known slowdowns, in seconds.
func (e *Engine) least(batch int) float64 {
	a := e.Attempt
	return e.secondsOf(e.kindOf(batch)) * float64(a.Options.Rounds*(2*len(a.Cases)+len(Slowdowns())))
}

// secondsOf returns what a sample takes: as in the batches before, of other conditions where there
// was none.
func (e *Engine) secondsOf(k taskKind) float64 {
	if s, ok := e.perTask[k]; ok {
		return s
	}
	for _, c := range Conditions() {
		if s, ok := e.perTask[taskKind{c, k.turns}]; ok {
			return s
		}
	}
	return firstGuess
}

// batch takes the samples of a batch that are not kept yet.
func (e *Engine) batch(ctx context.Context, i int) error {
	a := e.Attempt
	if err := e.Folder.WriteQuestion(a); err != nil {
		return err
	}
	runtime.GC() // and not again before the next batch: a batch makes a few MiB of garbage
	began, spent := e.Now(), a.Spent
	stop, err := e.Load(ctx, a.Batches[i].Condition)
	if err != nil {
		return fmt.Errorf("starting what is to run beside the samples (%s): %w", a.Batches[i].Condition, err)
	}
	before := len(e.kept[i])
	err = e.rounds(ctx, i, func() { a.Spent = spent + e.Now().Sub(began) })
	if gone := stop(); gone != nil && err == nil {
		a.Batches[i].Void = gone.Error()
	}
	a.Spent = spent + e.Now().Sub(began)
	if err != nil {
		e.save() // the time that was spent; the samples are kept already
		return err
	}
	if taken := len(e.kept[i]) - before; taken > 0 {
		e.perTask[e.kindOf(i)] = (a.Spent - spent).Seconds() / float64(taken)
	}
	a.Batches[i].Done = true
	e.count(i)
	return e.Folder.WriteQuestion(a)
}

func (e *Engine) save() { _ = e.Folder.WriteQuestion(e.Attempt) }

// rounds takes the rounds of a batch, and further ones of the comparisons of which some were
// excluded, up to twice as many.
func (e *Engine) rounds(ctx context.Context, i int, clock func()) error {
	a := e.Attempt
	p, pools := a.plan(i), a.pools(i)
	set := series.New(p.GroupOf())
	has := map[sampleKey]bool{}
	for _, r := range e.kept[i] {
		set.Add(r)
		round, _ := r.Value(series.UnitRound)
		has[sampleKey{idOfSample(r), int(round)}] = true
	}
	for round := 0; round < 2*a.Options.Rounds; round++ {
		e.report(a.Batches[i].Condition)
		live := func(c, _ int) bool {
			return round < a.Options.Rounds || short(p, set, p.Cases[c].Group, a.Options.Rounds)
		}
		tasks := slices.DeleteFunc(p.Round(round, plan.State{Live: live}), func(t plan.Task) bool {
			return has[sampleKey{idOf(p, p.Cases[t.Case], t.Side), t.Round}]
		})
		taken, err := e.round(ctx, i, p, pools, tasks)
		if len(taken) > 0 {
			if kerr := e.Folder.Append(taken...); kerr != nil {
				return kerr
			}
			e.kept[i] = append(e.kept[i], taken...)
			for _, r := range taken {
				set.Add(r)
			}
		}
		if err != nil {
			return err
		}
		clock()
	}
	return nil
}

// short reports whether a comparison has fewer rounds that count than it is to have.
func short(p *plan.Plan, set *series.Set, group, rounds int) bool {
	sr := set.Get(idOf(p, p.Cases[group], original))
	return sr != nil && len(sr.Failures) == 0 && len(set.Valid(sr, "sec/op")) < rounds
}

// A sampleKey tells the samples of a batch apart.
type sampleKey struct {
	id    series.ID
	round int
}

// round takes samples of one round.
func (e *Engine) round(ctx context.Context, i int, p *plan.Plan, pools [][]int,
	tasks []plan.Task) (taken []*benchfmt.Result, err error) {
	tasks = slices.Clone(tasks)
	for i := range tasks {
		tasks[i].N = iterations(tasks[i].N, tasks[i].Side)
	}
	for len(tasks) > 0 {
		if err := ctx.Err(); err != nil {
			return taken, err
		}
		rs, err := e.Take(ctx, p, pools, tasks)
		if err != nil {
			return taken, err
		}
		for _, r := range rs {
			for _, kv := range [][2]string{{keyBatch, strconv.Itoa(i)}, {"condition", e.Attempt.Batches[i].Condition}} {
				r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
			}
		}
		taken, tasks = append(taken, rs...), tasks[len(rs):]
	}
	return taken, nil
}

// count judges a batch whose samples are all there, and lets go of them.
func (e *Engine) count(i int) {
	b := e.Attempt.Batches[i]
	if b.Void == "" {
		for _, r := range e.kept[i] {
			if _, failed := r.Value(series.UnitFailed); failed {
				e.tally.failed++
			}
		}
		outcomes, disturbed := judge(e.Attempt.plan(i), e.kept[i])
		e.tally.batches = append(e.tally.batches, judgedBatch{b.Condition, outcomes, disturbed})
	}
	delete(e.kept, i)
}

// readKept reads the samples that an earlier process kept.
func (e *Engine) readKept() error {
	e.kept = map[int][]*benchfmt.Result{}
	_, err := store.ReadSamples(e.Folder.Dir, func(r *benchfmt.Result) error {
		if i, err := strconv.Atoi(r.GetConfig(keyBatch)); err == nil && i >= 0 && i < len(e.Attempt.Batches) {
			e.kept[i] = append(e.kept[i], r.Clone())
		}
		return nil
	})
	return err
}

func (e *Engine) report(condition string) {
	if e.Progress == nil {
		return
	}
	a := e.Attempt
	c := e.tally.certificate(a, a.Created)
	all, known := c.All(), c.Known()
	x := Progress{Comparisons: all.Comparisons, Wanted: e.wanted() * len(a.Cases), Alarms: all.Alarms,
		Known: known.Comparisons, Covered: known.Covered, Condition: condition, Elapsed: a.Spent,
		Left: max(a.Options.Budget-a.Spent, 0)}
	if done := len(e.tally.batches); done > 0 && done < e.wanted() {
		rest := time.Duration(float64(a.Spent) / float64(done) * float64(e.wanted()-done))
		x.Left = min(x.Left, rest)
	}
	e.Progress(x)
}
