package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
)

// ReadQuestion reads run.json of a run folder, and refuses one that no run could have
// written.
func ReadQuestion(dir string) (*plan.Question, error) {
	q := &plan.Question{}
	if err := store.ReadQuestion(dir, q); err != nil {
		return nil, err
	}
	if err := q.Check(); err != nil {
		return nil, store.Unusable(dir, err)
	}
	return q, nil
}

// Resume continues the run of samples in a folder. The caller closes the Run, which is
// nil only where nothing was opened.
func Resume(ctx context.Context, t *Tools, dir string, q *plan.Question, changes Changes) (*Run, error) {
	r := &Run{builds: newBuilds(&record{Tools: t, Question: q})}
	if err := r.openFolder(dir); err != nil {
		return r, err
	}
	o := changes.apply(q.Plan.Options)
	if err := checkPlan(o); err != nil {
		return r, err
	}
	q.Plan.Options = o
	if err := r.sameMachine(); err != nil {
		return r, err
	}
	if err := r.rebuild(ctx); err != nil {
		return r, err
	}
	r.Need = claim.Rounds(suitesAsked(r), q.Plan.Options.Alpha, plan.Compared(&q.Plan))
	return r, r.addNotReached(ctx)
}

func (r *record) sameMachine() error {
	fp, err := machine.ReadFingerprint("")
	if recorded := r.Question.Machine; err == nil && fp.ID() != recorded.ID() {
		return hint.With("begin a run of its own here, and look at both: memcost report RUN RUN",
			fmt.Errorf("run folder %s was begun on another machine (%s, %s)", r.Folder.Dir, recorded.Hostname,
				recorded.CPUModel))
	}
	return nil
}

// rebuild rebuilds the binaries, with the layouts that they had, and returns an error if they
// differ from those the run was started with.
func (r *Run) rebuild(ctx context.Context) error {
	q := r.Question
	recorded, suites := slices.Clone(q.Builds), slices.Clone(q.Plan.Suites)
	r.recorded = recorded
	if err := r.findToolchains(ctx); err != nil {
		return err
	}
	if err := sourcesAgain(ctx, r.builds); err != nil {
		return err
	}
	if len(q.Packages) > 0 {
		if _, err := r.findPackages(ctx, q.Plan.Arms[0].Flags); err != nil {
			return err
		}
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	if len(recorded) == 0 {
		return r.attempts(ctx)
	}
	same := len(q.Builds) == len(recorded) // otherwise the suites are renumbered
	for _, b := range recorded {
		if now := q.Build(b.Suite, b.Arm); !same || now == nil || now.Hash != b.Hash {
			return otherCode(suites[b.Suite].Name, q.Plan.Arms[b.Arm].Name, r.Folder.Dir)
		}
	}
	q.Builds, q.Plan.Suites = recorded, suites
	if err := r.linkCopies(ctx); err != nil {
		return err
	}
	r.makeLab()
	return r.readSuites()
}

// attempts completes what was built for an attempt at a plan, on a machine that need not be that of
// the plan: the binaries differ with the folders that they were built in.
func (r *Run) attempts(ctx context.Context) error {
	if left := r.Question.LeftOut; len(left) > 0 {
		return hint.With("measure the plan where all of it can be built",
			errors.New("building what the plan has: "+left[0]))
	}
	if err := r.linkCopies(ctx); err != nil {
		return err
	}
	r.makeLab()
	err := r.readSuites()
	if err == nil {
		r.explain(r.suites)
		err = r.save()
	}
	return err
}

// sourcesAgain gives the sides of a recorded comparison the files that they had.
func sourcesAgain(ctx context.Context, b *builds) (err error) {
	q := b.Question
	commands := func(a plan.Arm) bool { return a.Command != "" || a.Program != "" }
	if q.Comparison == nil || slices.ContainsFunc(q.Plan.Arms, commands) || q.Plan.Has(plan.GoogleBenchmark) {
		return nil
	}
	b.sources = source.New(b.place(), q.Dir)
	b.folders, err = b.sources.Again(ctx, q.Plan.Arms)
	return err
}
