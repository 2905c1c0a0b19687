package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

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
			return Outcome{}, errors.New("interrupted")
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
		q, err := session.ReadQuestion(m.Resume)
		if err != nil {
			return nil, err
		}
		return session.Resume(ctx, t, m.Resume, q, session.Changes{Budget: o.Budget, Timeout: o.Timeout})
	}
	o.Bench, o.Alpha, o.Results = m.Bench, m.Alpha, m.Results
	o.Sides = nil
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
	for a := range q.Plan.Arms {
		if !slices.ContainsFunc(q.Builds, func(b plan.Build) bool { return b.Arm == a }) {
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
		for i, a := range q.Plan.Arms {
			if !slices.Contains(x.On, a.Name) {
				out = append(out, Missing{Benchmark{Package: x.Suite, Name: x.Name}, i})
			}
		}
	}
	for _, u := range r.Unbuilt {
		out = append(out, Missing{Benchmark{Package: u.Suite}, u.Arm})
	}
	for _, f := range q.Plan.Failures {
		at := slices.IndexFunc(q.Plan.Arms, func(a plan.Arm) bool { return a.Name == f.Arm })
		if at >= 0 && f.Suite >= 0 && f.Suite < len(q.Plan.Suites) {
			out = append(out, Missing{Benchmark{Package: q.Plan.Suites[f.Suite].Name, Name: f.Name}, at})
		}
	}
	return out
}
