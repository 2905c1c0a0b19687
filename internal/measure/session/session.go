// Package session measures: it takes the samples of a question in rounds, and keeps them in a run
// folder. A run, a comparison of revisions, of programs or of command lines, a program under several
// allocators, a shard of a plan and a step of a search through history are the same session with
// other sides: it is begun or gone on with, the sides are built, their cases listed and calibrated,
// and rounds are taken until the questions are answered. It alone owns the run folder, the machine's
// lock, the budget, and what is said of an end that came early. Ctrl-C, a crash and a full disk cost
// at most the sample that was under way: what is in the run folder is all that a session knows, and
// it goes on by reading that.
//
// A Search finds figures one by one (limits, cliffs, the slowest calls). It has no rounds, and
// shares all the rest.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/study/language"
)

// A Session takes samples in rounds.
type Session struct {
	*record
	Measured time.Duration // by Measure
	// Undecided are the cases of which a comparison of configurations was not decided when Measure ended.
	Undecided []string
	Need      claim.Need // how many rounds the questions take
	// Failed is what of a comparison could not be compared, nil where all was; by Measure.
	Failed error
	// Decided reports that what is asked of the session is known from its folder before all of its questions are; nil:
	// nothing is.
	Decided func(dir string) bool

	sides    Sides
	options  Options // of a new session
	resumed  bool
	recorded []plan.Build // of a session that is gone on with, as it was begun
	ready    *processes   // of sides that need no building
	executor *sample.Executor
	studies  []claim.Study
	toFull   []plan.Case                     // left to the full profile
	before   func(ctx context.Context) error // is done before the rounds; nil is nothing
	atClose  []func()
}

// Sides are what is measured: each kind knows how to make its programs. A kind begins with what the
// user wrote, and goes on with what run.json has.
type Sides interface {
	// choose puts the configurations, and what is measured on them, into the plan of a new session.
	choose(ctx context.Context, s *Session) error
	// open builds or finds what runs on each configuration, puts the builds into the question, and
	// makes the executor. Of a session that is gone on with it has to be what the session was begun with.
	open(ctx context.Context, s *Session) error
	// list finds the cases.
	list(ctx context.Context, s *Session) error
	// settle is called when the cases from an index on are calibrated: it says what is to be known of
	// them, and which of them are measured next to each other.
	settle(ctx context.Context, s *Session, from int) error
}

// Begin prepares a new session: it chooses, builds and calibrates. When it returns without an
// error, the run folder exists and holds the question. The caller closes the Session, which is nil
// only where nothing was opened.
func Begin(ctx context.Context, t *Tools, o Options) (*Session, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	q, err := NewQuestion(o.Origin)
	if err != nil {
		return nil, err
	}
	q.Dir = t.Dir
	q.Plan.Options, q.Label = o.plan(), o.Label
	s := &Session{record: &record{Tools: t, Question: q}, sides: o.Ready, options: o}
	if s.sides == nil {
		s.sides = newBuilds(s.record)
	}
	return s, s.orInterrupted(ctx, s.begin(ctx))
}

func (s *Session) begin(ctx context.Context) error {
	if err := s.sides.choose(ctx, s); err != nil {
		return err
	}
	if !s.options.DryRun {
		if err := s.makeFolder(s.options.Results, time.Now()); err != nil {
			return err
		}
	}
	if s.Question.NothingDiffers() {
		return s.save()
	}
	if err := s.sides.open(ctx, s); err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.save()
}

// Resume goes on with the session in a folder; of changes counts what may change then: the precision, the
// budget, the rounds, the time-out, and when it is stopped. The caller closes the Session, which is nil only
// where nothing was opened.
func Resume(ctx context.Context, t *Tools, dir string, q *plan.Question, changes Options) (*Session, error) {
	s := &Session{record: &record{Tools: t, Question: q}, resumed: true,
		recorded: slices.Clone(q.Builds)}
	if s.sides = readySides(q); s.sides == nil {
		s.sides = newBuilds(s.record)
	}
	return s, s.orInterrupted(ctx, s.resume(ctx, dir, changes))
}

func (s *Session) resume(ctx context.Context, dir string, changes Options) error {
	if err := s.openFolder(dir); err != nil {
		return err
	}
	if err := changes.apply(s.Question); err != nil {
		return err
	}
	if err := s.sameMachine(); err != nil {
		return err
	}
	if err := s.sameMethod(changes.Origin); err != nil {
		return err
	}
	if s.Question.NothingDiffers() {
		return nil
	}
	if err := s.sides.open(ctx, s); err != nil {
		return err
	}
	if err := s.readStudies(); err != nil {
		return err
	}
	s.Need = claim.Rounds(s.asked(), s.Question.Plan.Options.Alpha, plan.Compared(&s.Question.Plan))
	if err := s.addNotReached(ctx); err != nil {
		return err
	}
	return s.save() // with the user's signature: who agreed once is not asked again
}

// prepare lists the cases, holds what is asked of them to what there is, and calibrates them; of a
// plan that is only printed they are not calibrated.
func (s *Session) prepare(ctx context.Context) error {
	if err := s.readStudies(); err != nil {
		return err
	}
	p, o := &s.Question.Plan, s.options
	s.Log.Step("listing the cases")
	if err := s.sides.list(ctx, s); err != nil {
		return err
	}
	if len(p.Cases) == 0 {
		return s.noCase()
	}
	if err := s.ask(o.Claims); err != nil {
		return err
	}
	s.chooseBudget()
	switch {
	case o.DryRun && s.ready != nil:
		return nil // what is to be known of such sides is found by running them
	case o.DryRun:
		plan.Uncalibrate(p)
	default:
		if err := s.executor.Calibrate(ctx, p, 0, s.calibrating(o.Budget != 0)); err != nil {
			return err
		}
	}
	if len(p.Cases) == 0 {
		return s.noCase()
	}
	for _, c := range s.toFull {
		p.ToFull = append(p.ToFull, plan.Left{Study: c.Study, Name: c.Name})
	}
	for _, part := range plan.Unmatched(p) {
		s.warn("-bench: no benchmark matches the part %q", part)
	}
	if most, cpus := slices.Max(append([]int{0}, p.Options.CPU...)), s.Question.Machine.CPUs; cpus > 0 && most > cpus {
		s.warn("--cpu %d: there are %d CPUs here, so that the cases with more are oversubscribed: their threads "+
			"wait for each other", most, cpus)
	}
	if err := s.sides.settle(ctx, s, 0); err != nil {
		return err
	}
	s.fitBudget(o.Budget != 0)
	s.planLooks()
	return nil
}

// makeExecutor connects the plan with the programs that run its cases.
func (s *Session) makeExecutor(target func(c plan.Case, side, layout int) (sample.Target, error)) {
	s.executor = &sample.Executor{Runner: s.Runner, Target: target, Recording: s.recording, Skip: s.leftToFull, CPUs: s.cpus()}
	if s.Folder != nil {
		s.executor.SaveLog = s.saveLog
	}
}

// cpus returns how many CPUs can work for this process: those it may run on, and no more
// than the quota of its container.
func (s *Session) cpus() int { return cmp.Or(s.Question.Machine.GOMAXPROCS, runtime.NumCPU()) }

// saveLog keeps what a process printed that failed.
func (s *Session) saveLog(name string, data []byte) {
	if err := s.Folder.WriteFile(name, data); err != nil {
		s.Log.Note("warning: " + err.Error())
	}
}

// readStudies parses the directives of the question's studies and packages.
func (s *Session) readStudies() (err error) {
	s.studies, err = claim.Studies(s.Question)
	return err
}

// leftToFull reports whether a case is one that a study leaves to the full profile. A case
// that the user asks for by -b is measured in any profile.
func (s *Session) leftToFull(c plan.Case) bool {
	o := s.Question.Plan.Options
	if o.Profile != Quick || o.Bench != "" {
		return false
	}
	named := &benchfmt.Result{Name: benchfmt.Name(c.Name)}
	left := slices.ContainsFunc(s.studies[c.Study].Written.Full, func(sel language.Selector) bool {
		return sel.Match(named)
	})
	if left {
		s.toFull = append(s.toFull, c)
	}
	return left
}

// doubles is the number of cases that are measured twice (A′): enough to show the noise
// floor at more than one size, few enough to cost some percent.
const doubles = 2

// SameProgram is the ending of a comparison whose sides need no sample.
const SameProgram sample.Ending = "the sides are the same program"

// noCase returns the error of a plan without a case to run.
func (s *Session) noCase() error {
	p := &s.Question.Plan
	if n := len(p.Failures); n > 0 {
		f, advice := p.Failures[0], ""
		if s.Folder != nil {
			advice = "what they printed is in " + filepath.Join(s.Folder.Dir, store.LogsDir)
		}
		if p.Studies[f.Study].Kind() == plan.Command {
			if s.Folder != nil && f.Log != "" {
				advice = "what it printed is in " + filepath.Join(s.Folder.Dir, f.Log)
			}
			return hint.With(advice, fmt.Errorf("the command %s failed: %s", f.Side, f.Reason))
		}
		for _, f := range p.Failures {
			s.Log.Note(fmt.Sprintf("failed: %s on %s: %s", f.Name, f.Side, f.Reason))
		}
		if n == 1 {
			return hint.With(advice, errors.New("no benchmark could be run: the only one failed"))
		}
		return hint.With(advice, fmt.Errorf("no benchmark could be run: all %d failed", n))
	}
	var names []string
	for _, x := range p.Studies {
		names = append(names, x.Name)
	}
	of := strings.Join(names, ", ")
	switch bench := p.Options.Bench; {
	case bench != "" && s.ready != nil:
		return hint.Usage("leave -b out to see what there is", "-bench %q: no benchmark matches that all sides have",
			bench)
	case s.ready != nil:
		return hint.With("the same benchmark has to have the same name on all sides",
			fmt.Errorf("%w: the sides have none in common", sample.ErrNothing))
	case bench != "" && !p.Has(plan.GoTest):
		return hint.Usage("a case is named like "+
			"Malloc/allocator=glibc/setting=default/op=malloc_free/size=4096/method=published, "+
			"and -b takes its parts: "+
			"-b 'Malloc/glibc/trim0/malloc_free'; memcost run malloc -n lists them", "-bench %q: no case of %s matches",
			bench, of)
	case bench != "":
		return hint.Usage("go test -list '^Benchmark' lists the benchmarks of a package; memcost list those of the "+
			"studies", "-bench %q: no benchmark of %s matches", bench, of)
	}
	return hint.Usage("memcost measures functions named BenchmarkXxx in _test.go files", "%w in %s", sample.ErrNothing,
		of)
}

// Measure takes the samples until the questions are answered, the budget is spent or ctx is done,
// and returns which of these ended it. A session that ends without a sample, and was not
// interrupted, is an error. The samples stay in the run folder in any case.
func (s *Session) Measure(ctx context.Context) (sample.Ending, error) {
	if s.Question.NothingDiffers() {
		return SameProgram, nil
	}
	said, links := slices.Clone(s.Question.Warnings), s.links()
	ending, err := s.rounds(ctx)
	if err != nil {
		return ending, s.keeps(err)
	}
	missing := s.conclude(ending)
	if at := s.Question.Attempt; at != nil && missing == nil {
		at.Ended, at.Whole = string(ending), ending != sample.Interrupted
		return ending, s.save()
	}
	if !slices.Equal(said, s.Question.Warnings) || links != s.links() { // what came up while measuring
		if err := s.save(); err != nil {
			return ending, s.keeps(err)
		}
	}
	return ending, missing
}

// links is how many links have a seed in the question.
func (s *Session) links() (n int) {
	for _, b := range s.Question.Builds {
		n += len(b.Layouts)
	}
	return n
}

// keeps adds to an error that stopped the rounds how to go on.
func (s *Session) keeps(err error) error {
	return hint.With("go on with: "+s.again(), fmt.Errorf("%w; the samples taken so far are kept", err))
}

// rounds takes the rounds, while other measurements are kept away from this machine.
func (s *Session) rounds(ctx context.Context) (sample.Ending, error) {
	defer s.Alone()()
	defer s.Log.End()
	sampler, err := machine.NewSampler("")
	if err != nil {
		return "", fmt.Errorf("watching this machine: %w", err)
	}
	defer sampler.Close()
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			if ctx.Err() != nil {
				return sample.Interrupted, nil
			}
			return "", err
		}
	}
	began := time.Now()
	e := &sample.Engine{Plan: &s.Question.Plan, Studies: s.studies, Executor: s.executor, Folder: s.Folder, Sampler: sampler,
		Header: s.Question.Header(), Progress: s.Log.Sample}
	if s.Decided != nil {
		e.Decided = func() bool { return s.Decided(s.Folder.Dir) }
	}
	ending, err := e.Run(ctx)
	s.Measured, s.Undecided = time.Since(began), e.Undecided()
	return ending, err
}

// Close ends what was started, removes what was made for this session alone, and closes the run
// folder: see store.CloseRun.
func (s *Session) Close() {
	for _, end := range slices.Backward(s.atClose) {
		end()
	}
	s.atClose = nil
	s.record.Close()
}

// A Sample is one that a plan will take, and the command that takes it.
type Sample struct {
	Task    plan.Task
	Command proc.Cmd
}

// FirstRound returns the samples of the first round in their order.
func (s *Session) FirstRound() ([]Sample, error) {
	p := &s.Question.Plan
	var out []Sample
	for _, t := range p.Round(0, plan.State{}) {
		target, err := s.executor.Target(p.Cases[t.Case], t.Side, t.Layout)
		if err != nil {
			return nil, err
		}
		out = append(out, Sample{t, sample.Command(p, t, target)})
	}
	return out, nil
}
