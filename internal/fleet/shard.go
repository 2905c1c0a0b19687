package fleet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
	"memcost/internal/gotool/source"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
)

// A Shard is an attempt at a shard that is being measured.
type Shard struct {
	*session.Session
	options Options
}

// building is what building and linking may take beside the budget, for the expected end.
const building = 2 * time.Minute

// Begin begins an attempt. Before that it copies to the place what earlier attempts at the plan left
// on this machine: those that were killed, or found no place. The caller closes the Shard, which is
// nil only where nothing was opened.
func Begin(ctx context.Context, t *session.Tools, o Options) (*Shard, error) {
	if err := sameTool(o.Plan, o.Origin); err != nil {
		return nil, err
	}
	fp, at, err := here()
	if err != nil {
		return nil, err
	}
	k := o.Plan.Of(at.Kind)
	if k == nil {
		return nil, notCalibrated(o, fp, at)
	}
	a := plan.Attempt{Plan: o.Plan.Hash, Calibration: k.Hash, Machine: at.ID, Boot: fp.BootID, Shard: o.Shard,
		Shards: o.Shards, Token: token(), Began: now()}
	if o.To != nil {
		if err := writePlan(ctx, o.To, o.Plan); err != nil {
			return nil, err
		}
		if err := sendLeft(ctx, o, at.ID); err != nil {
			return nil, err
		}
	}
	p, err := k.Shard(a)
	if err != nil {
		return nil, err
	}
	if err := claimNumber(ctx, o, &a, begun{Host: fp.Hostname, CPU: fp.CPUModel, Job: o.Job,
		Expected: p.Options.Budget + building}); err != nil {
		return nil, err
	}
	if p, err = k.Shard(a); err != nil { // with the order that the number gives
		return nil, err
	}
	q, err := question(o, k, p, a)
	if err != nil {
		return nil, err
	}
	if err := sameCode(ctx, t, q); err != nil {
		return nil, err
	}
	s, err := open(ctx, t, o, q)
	if err != nil {
		return s, err
	}
	q.LeftOut = slices.Concat(k.Question.LeftOut, q.LeftOut)
	return s, s.Folder.WriteQuestion(q)
}

// question returns that of an attempt's run folder.
func question(o Options, k *Kind, p plan.Plan, a plan.Attempt) (*plan.Question, error) {
	q, err := session.NewQuestion(o.Origin)
	if err != nil {
		return nil, err
	}
	of := k.Question
	q.Plan = p // it is built here, with the warnings of that
	q.Plan.Studies = slices.Clone(p.Studies)
	for i := range q.Plan.Studies {
		if x := &q.Plan.Studies[i]; x.Beside != nil {
			x.Beside = &plan.Beside{Dir: x.Beside.Dir, Compiler: x.Beside.Compiler}
		}
	}
	q.Label, q.Packages, q.Source, q.Attempt = of.Label, of.Packages, of.Source, &a
	if q.Dir, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("finding the current folder: %w", err)
	}
	return q, nil
}

// sameCode records the state of the user's code here, and refuses another than that of the plan.
func sameCode(ctx context.Context, t *session.Tools, q *plan.Question) error {
	was := q.Source
	if was == nil {
		return nil
	}
	q.Source = source.Here(ctx, source.SidePlace{Runner: t.Runner, Env: t.Env, Cache: t.Builder.CacheDir,
		Note: t.Log.Note, Step: t.Log.Step}, q.Dir)
	if is := q.Source; is == nil || is.Commit != was.Commit || is.State != was.State {
		return hint.With("check out that state, or make a new plan", fmt.Errorf("the plan was made of the code of %s, "+
			"and the files in %s are not that", was.Name(), q.Dir))
	}
	return nil
}

// open makes the run folder, and builds as a run does that is gone on with.
func open(ctx context.Context, t *session.Tools, o Options, q *plan.Question) (*Shard, error) {
	folder, err := store.CreateRun(o.Results, q.Machine.Hostname, time.Now())
	if err != nil {
		return nil, err
	}
	err = errors.Join(folder.WriteQuestion(q), folder.Close())
	if err != nil {
		return nil, err
	}
	r, err := session.Resume(ctx, t, folder.Dir, q, session.Options{})
	if r == nil {
		return nil, err
	}
	return &Shard{r, o}, err
}

// Send copies the attempt to the place.
func (s *Shard) Send(ctx context.Context) error {
	if s.options.To == nil {
		return nil
	}
	return send(ctx, s.options.To, s.Folder.Dir)
}

// notCalibrated is the error of a machine of whose kind the plan knows nothing.
func notCalibrated(o Options, fp machine.Fingerprint, at machine.Place) error {
	f, file := o.Plan, o.File
	if place.IsURL(file) {
		file = "the file that was submitted, and submit it again"
	}
	return hint.With("calibrate it here, once for all machines of the kind: memcost plan --add "+file,
		fmt.Errorf("the plan %s has no calibration for machines like this one (%s, %d CPUs, kind %s)", f.Hash,
			fp.CPUModel, fp.CPUsOnline, at.Kind))
}

func token() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
