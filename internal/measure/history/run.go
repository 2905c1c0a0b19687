package history

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// Progress is how far a search has come.
type Progress struct {
	Step   int           // from 1 on
	Left   int           // steps, this one included, as far as is known
	Says   string        // what is measured
	Expect time.Duration // that the steps left take, 0 where nothing is known yet
}

// A Session is a search that is being made.
type Session struct {
	*SearchState
	Measure Measure
	Tell    func(Progress)
	Now     func() time.Time

	record *store.Record
}

// Begin makes the folder of a new search.
func Begin(dir string, s *SearchState) (*Session, error) {
	record, err := store.CreateRecord(dir, File)
	if err != nil {
		return nil, err
	}
	x := &Session{SearchState: s, record: record}
	if err := x.save(); err != nil {
		record.Close()
		return nil, err
	}
	return x, nil
}

// Resume opens the folder of a search.
func Resume(dir string) (*Session, error) {
	s := &SearchState{}
	record, err := store.OpenRecord(dir, File, s)
	if err != nil {
		return nil, err
	}
	if err := s.check(dir); err != nil {
		record.Close()
		return nil, err
	}
	return &Session{SearchState: s, record: record}, nil
}

// Close gives the folder back.
func (x *Session) Close() error { return x.record.Close() }

// Folder returns the folder of the search.
func (x *Session) Folder() string { return x.record.Dir }

func (x *Session) save() error { return x.record.Write(x.SearchState) }

// givesUp is how many steps may fail before one succeeds.
const givesUp = 8

// Run measures until nothing is left to find, or ctx is done. What was measured is kept.
func (x *Session) Run(ctx context.Context) error {
	search := x.Search()
	for {
		step, more := x.next(search)
		if !more {
			return nil
		}
		if err := x.step(ctx, step); err != nil {
			again := "memcost compare --resume " + x.record.Dir
			if ctx.Err() != nil {
				return session.Interrupted(again)
			}
			return hint.With("go on with: "+again, err)
		}
		if err := x.hopeless(); err != nil {
			return err
		}
	}
}

// next returns the step to measure: the one that was begun, or a new one, which is recorded.
func (x *Session) next(search Search) (*Step, bool) {
	if n := len(x.Steps); n > 0 && !x.Steps[n-1].Done {
		return &x.Steps[n-1], true
	}
	ask, more := search.Next(x.Steps)
	if !more {
		return nil, false
	}
	x.Steps = append(x.Steps, ask)
	return &x.Steps[len(x.Steps)-1], true
}

func (x *Session) step(ctx context.Context, step *Step) error {
	x.tell(step)
	m := Measurement{Alpha: x.Search().Alpha(x.Asked.Alpha), Bench: x.Asked.Bench, Results: x.record.Dir}
	if len(step.Benchmarks) > 0 {
		m.Bench = pattern(step.Benchmarks)
	}
	for _, p := range order(step.Points) {
		m.Sides = append(m.Sides, x.Points[p])
	}
	if step.Folder != "" {
		m.Resume = filepath.Join(x.record.Dir, step.Folder)
	}
	m.Began = func(folder string) error {
		step.Folder = filepath.Base(folder)
		return x.save()
	}
	began := x.Now()
	r, err := x.Measure(ctx, m)
	var failed *SideError
	switch {
	case errors.As(err, &failed) && ctx.Err() == nil && failed.Side >= 0 && failed.Side < len(step.Points):
		reason, _ := hint.Split(failed.Err)
		step.Failed = append(step.Failed, Failure{Point: order(step.Points)[failed.Side], Reason: reason})
	case err != nil:
		return err
	default:
		fill(step, r)
	}
	step.Done = true
	step.Seconds += x.Now().Sub(began).Seconds()
	return x.save()
}

// hopeless returns an error when one point after the other fails and none succeeds.
func (x *Session) hopeless() error {
	last := Failure{}
	for _, s := range x.Steps {
		if len(s.Failed) == 0 {
			return nil
		}
		last = s.Failed[len(s.Failed)-1]
	}
	if len(x.Steps) < givesUp {
		return nil
	}
	return hint.New("see whether one of them builds: memcost compare "+x.Points[last.Point].Name+" .",
		"none of the %d %s that were tried can be measured; the last, %s: %s", len(x.Steps), x.Kind,
		x.Points[last.Point].Name, last.Reason)
}

// tell says what a step measures.
func (x *Session) tell(step *Step) {
	if x.Tell == nil {
		return
	}
	p := Progress{Step: len(x.Steps), Left: max(1, x.Search().Left(x.Steps[:len(x.Steps)-1]))}
	seconds, n := 0.0, 0
	for _, s := range x.Steps {
		if s.Done && len(s.Failed) == 0 {
			seconds, n = seconds+s.Seconds, n+1
		}
	}
	if n > 0 {
		p.Expect = time.Duration(seconds / float64(n) * float64(p.Left) * float64(time.Second))
	}
	first, last := step.Points[0], step.Points[len(step.Points)-1]
	p.Says = "measuring " + strings.Join(x.names(step.Points), ", ")
	if len(step.Benchmarks) > 0 {
		p.Says += fmt.Sprintf(": one of %d %s changed %s", last-first, x.Kind, step.Benchmarks[0].Name)
		if n := len(step.Benchmarks) - 1; n > 0 {
			p.Says += " and " + units.Plural(n, "other benchmark")
		}
	}
	x.Tell(p)
}

// Runs returns what measures steps as runs of memcost compare. Options are those that all steps
// have.
func Runs(t *session.Tools, o session.Options) Measure {
	return func(ctx context.Context, m Measurement) (Outcome, error) {
		r, err := begin(ctx, t, o, m)
		if r != nil {
			defer r.Close()
		}
		if err != nil {
			return whyNot(r, m, err)
		}
		if at := without(r.Question); at >= 0 {
			return Outcome{}, &SideError{at, fmt.Errorf("nothing can be measured: %s", strings.Join(r.Broken, "; "))}
		}
		if err := m.Began(r.Folder.Dir); err != nil {
			return Outcome{}, err
		}
		stop, err := r.Measure(ctx)
		if err != nil {
			return Outcome{}, err
		}
		if stop == sample.Interrupted {
			return Outcome{}, r.Interrupted()
		}
		a, err := result.Read(r.Folder.Dir, result.Options{})
		if err != nil {
			return Outcome{}, err
		}
		report, err := compare.OfRun(a)
		return Outcome{report, missing(r)}, err
	}
}

// begin prepares a step, or goes on with one.
func begin(ctx context.Context, t *session.Tools, o session.Options, m Measurement) (*session.Session, error) {
	if m.Resume != "" && store.IsRun(m.Resume) {
		src, err := store.ReadRun(m.Resume)
		if err != nil {
			return nil, err
		}
		return session.Resume(ctx, t, m.Resume, src.Question, session.Options{Origin: o.Origin, Budget: o.Budget, Timeout: o.Timeout})
	}
	o.Bench, o.Alpha, o.Results = m.Bench, m.Alpha, m.Results
	o.Sides, o.MeasureSame = nil, true // the search asks for a ratio of each step
	for _, p := range m.Sides {
		s := source.Side{Words: []string{p.Name}, Go: p.Name}
		if p.Source != nil {
			s.Revision, s.Go = p.Source.Commit, ""
		}
		o.Sides = append(o.Sides, s)
	}
	return session.Begin(ctx, t, o)
}

// whyNot returns the error of a step that could not be prepared: as one of a side, where it is
// one; nothing is compared where the sides have no benchmark in common.
func whyNot(r *session.Session, m Measurement, err error) (Outcome, error) {
	var of *source.Error
	if errors.As(err, &of) {
		if at := slices.IndexFunc(m.Sides, func(p Point) bool { return p.Name == of.Name }); at >= 0 {
			return Outcome{}, &SideError{at, of.Err}
		}
	}
	if r != nil && r.Question != nil && hint.IsUsage(err) {
		if c := r.Question.Comparison; c != nil && len(c.OneSided) > 0 {
			return Outcome{&compare.Report{}, missing(r)}, nil
		}
	}
	return Outcome{}, err
}

// without returns the first side that nothing was built for, −1 where there is none.
func without(q *plan.Question) int {
	for a := range q.Plan.Sides {
		if !slices.ContainsFunc(q.Builds, func(b plan.Build) bool { return b.Side == a }) {
			return a
		}
	}
	return -1
}

// missing lists the benchmarks that a side does not have, or that failed there.
func missing(r *session.Session) []Missing {
	q := r.Question
	var out []Missing
	for _, x := range q.Comparison.OneSided {
		for i, a := range q.Plan.Sides {
			if !slices.Contains(x.On, a.Name) {
				out = append(out, Missing{Benchmark{Package: x.Study, Name: x.Name}, i})
			}
		}
	}
	for _, u := range r.Unbuilt {
		out = append(out, Missing{Benchmark{Package: u.Study}, u.Side})
	}
	for _, f := range q.Plan.Failures {
		at := slices.IndexFunc(q.Plan.Sides, func(a plan.Side) bool { return a.Name == f.Side })
		if at >= 0 && f.Study >= 0 && f.Study < len(q.Plan.Studies) {
			out = append(out, Missing{Benchmark{Package: q.Plan.Studies[f.Study].Name, Name: f.Name}, at})
		}
	}
	return out
}
