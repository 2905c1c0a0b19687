package certify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/study"
)

// An Instrument takes samples as memcost run does: it is what is to be proved.
type Instrument struct {
	*session.Tools

	dir    string // of the links
	built  toolchain.Binaries
	engine sample.Engine
	pools  [][]int // of the batch under way
}

// Prepare links the cases, and calibrates those of a new attempt. The caller closes the
// instrument.
func (x *Instrument) Prepare(ctx context.Context, a *Attempt) error {
	tc, err := x.Finder.Local(ctx)
	if err != nil {
		return err
	}
	if a.Go != "" && a.Go != tc.Version {
		return hint.With("begin a new attempt: memcost certify",
			fmt.Errorf("the attempt was begun with %s, and the local Go is %s", a.Go, tc.Version))
	}
	a.Go = tc.Version
	if err := x.link(ctx, a, tc); err != nil {
		return err
	}
	if a.Hash != "" && a.Hash != x.built.Hash {
		return hint.With("begin a new attempt: memcost certify",
			fmt.Errorf("the benchmarks are not those that the attempt was begun with"))
	}
	a.Hash = x.built.Hash
	sampler, err := machine.NewSampler("")
	if err != nil {
		return fmt.Errorf("watching this machine: %w", err)
	}
	x.engine = sample.Engine{Sampler: sampler, Executor: &sample.Executor{Runner: x.Runner, Target: x.target}}
	if len(a.Cases) > 0 {
		return nil
	}
	return x.calibrate(ctx, a)
}

// link links the cases in all layouts.
func (x *Instrument) link(ctx context.Context, a *Attempt, tc toolchain.Toolchain) (err error) {
	x.Log.Step(fmt.Sprintf("linking the cases in %d layouts", a.Options.Links))
	dir, err := toolchain.PrepareStudies(study.Certify, filepath.Join(x.Builder.CacheDir, "studies"), tc)
	if err != nil {
		return err
	}
	if x.dir, err = x.Builder.Temporary(); err != nil {
		return err
	}
	x.built, err = x.Builder.Link(ctx, toolchain.Build{Toolchain: tc, Dir: dir, Pkg: "./certify", Fresh: x.dir,
		Layouts: a.seeds()})
	switch {
	case err != nil:
		return err
	case !x.built.RandLayout:
		return hint.New("put Go 1.23 or newer first on PATH (https://go.dev/dl)",
			"%s cannot link the same code in different layouts, and a copy in the same layout proves nothing",
			tc.Version)
	}
	return nil
}

// calibrate finds the cases and the number of iterations of each, as a run does.
func (x *Instrument) calibrate(ctx context.Context, a *Attempt) error {
	o := a.Options
	p := &plan.Plan{Options: plan.Options{Seed: o.Seed, Alpha: o.Alpha, Layouts: o.Layouts, Sample: o.Sample,
		Timeout: timeout}, Sides: []plan.Side{{Name: a.Go, Toolchain: a.Go}},
		Studies: []plan.Study{{Name: studyName, Pkg: "memcost/study/certify"}}}
	x.pools = a.pools(0)
	err := x.engine.Executor.Discover(ctx, p, func(done, known int) {
		x.Log.Step(fmt.Sprintf("calibrating %d/%d", done, known))
	})
	if err != nil {
		return err
	}
	if len(p.Failures) > 0 || len(p.Cases) == 0 {
		return fmt.Errorf("the cases do not run here: %+v", p.Failures)
	}
	a.Cases = p.Cases
	return nil
}

// target is the link that a side runs in a round.
func (x *Instrument) target(_ plan.Case, side, layout int) (sample.Target, error) {
	path := x.built.Paths[x.pools[side][layout]]
	return sample.Target{Path: path, Dir: filepath.Dir(path), Env: x.Env, Turns: x.built.FloatAllocs}, nil
}

// Take takes samples of a batch: that of the first task, and those of the tasks behind it whose
// processes take turns with it.
func (x *Instrument) Take(ctx context.Context, p *plan.Plan, pools [][]int,
	tasks []plan.Task) ([]*benchfmt.Result, error) {
	x.engine.Plan, x.pools = p, pools
	return x.engine.Take(ctx, tasks)
}

// Load keeps the machine busy as a condition wants it.
func (x *Instrument) Load(ctx context.Context, condition string) (stop func() error, err error) {
	kind := sample.CPU
	switch condition {
	case certificate.Quiet:
		return func() error { return nil }, nil
	case certificate.Memory:
		kind = sample.Memory
	}
	l, err := sample.Start(ctx, kind, 1)
	if err != nil {
		return nil, err
	}
	// What the load does while it begins is not what it does while it runs.
	select {
	case <-ctx.Done():
	case <-time.After(settle):
	}
	return l.Stop, nil
}

// settle is how long a load runs before samples are taken beside it.
const settle = 100 * time.Millisecond

// Close removes the links.
func (x *Instrument) Close() {
	if x.engine.Sampler != nil {
		x.engine.Sampler.Close()
	}
	if x.dir != "" {
		os.RemoveAll(x.dir)
	}
}
