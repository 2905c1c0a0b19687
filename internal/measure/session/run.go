package session

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// Begin prepares a new run: it chooses, builds and calibrates. When it returns without
// an error, the run folder exists and holds the question. The caller closes the Run,
// which is nil only where nothing was opened.
func Begin(ctx context.Context, t *Tools, o Options) (*Run, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	q, err := NewQuestion(o.Origin)
	if err != nil {
		return nil, err
	}
	if q.Dir, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("finding the current folder: %w", err)
	}
	q.Plan.Options = o.plan()
	r := &Run{builds: newBuilds(&record{Tools: t, Question: q})}
	q.Label = o.Label
	c := &choice{r.builds, o}
	if len(o.Sides) > 0 {
		if err := c.sides(ctx); err != nil {
			return r, err
		}
	}
	if err := c.suites(ctx); err != nil {
		return r, err
	}
	if err := c.ofSides(); err != nil {
		return r, err
	}
	if len(q.Packages) > 0 {
		q.Source = source.Here(ctx, r.place(), q.Dir)
	}
	if err := c.kinds(); err != nil {
		return r, err
	}
	c.budget()
	c.links()
	if !o.DryRun {
		if err := r.makeFolder(o.Results, time.Now()); err != nil {
			return r, err
		}
	}
	if err := c.arms(ctx); err != nil {
		return r, err
	}
	if err := r.build(ctx); err != nil {
		return r, err
	}
	if len(o.Vary) > 0 && !q.Plan.Has(plan.GoTest) {
		if err := r.tryVariants(ctx, true); err != nil {
			return r, err
		}
	}
	if err := r.prepare(ctx, o); err != nil {
		return r, err
	}
	r.stays = o.DryRun
	return r, r.save()
}

// Measure takes the samples until the questions are answered, the budget is spent or ctx
// is done, and returns which of these ended it. A run that ends without a sample
// is an error. The samples stay in the run folder in any case.
func (r *Run) Measure(ctx context.Context) (sample.Stop, error) {
	said := slices.Clone(r.Question.Warnings)
	stop, err := r.measure(ctx)
	if err == nil && !slices.Equal(said, r.Question.Warnings) { // what came up while measuring
		err = r.save()
	}
	if err != nil {
		err = hint.With("go on with: "+r.again(),
			fmt.Errorf("%w; the samples taken so far are kept", err))
	}
	if err == nil && stop != sample.Interrupted {
		err = noSample(r)
	}
	return stop, err
}

func (r *Run) measure(ctx context.Context) (sample.Stop, error) {
	sampler, err := machine.NewSampler("")
	if err != nil {
		return "", fmt.Errorf("watching this machine: %w", err)
	}
	defer sampler.Close()
	if err := r.buildFloors(ctx); err != nil {
		if ctx.Err() != nil {
			return sample.Interrupted, nil
		}
		return "", err
	}
	began := time.Now()
	e := &sample.Engine{Plan: &r.Question.Plan, Suites: r.suites, Lab: r.lab, Folder: r.Folder,
		Sampler: sampler, Header: r.Question.Header(), Progress: r.Log.Sample}
	stop, err := e.Run(ctx)
	r.Measured = time.Since(began)
	return stop, err
}

// A Sample is one that a plan will take, and the command that takes it.
type Sample struct {
	Task    plan.Task
	Command proc.Cmd
}

// FirstRound returns the samples of the first round in their order.
func (r *Run) FirstRound() ([]Sample, error) {
	p := &r.Question.Plan
	var out []Sample
	for _, t := range p.Round(0, plan.State{}) {
		target, err := r.target(p.Cases[t.Case], t.Arm, t.Layout)
		if err != nil {
			return nil, err
		}
		out = append(out, Sample{t, sample.Command(p, t, target)})
	}
	return out, nil
}
