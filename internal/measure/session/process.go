package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/machine/resident"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/watch"
	"memcost/internal/method/curve"
	"memcost/internal/method/series"
)

// WatchProcess looks at a process that runs already, and at what it starts, until it ends, the budget is spent, or
// ctx is done, which is how its user ends it. It returns the run folder, with one sample, and what ended it. The
// process is read, and nothing else: nothing is sent to it, and it is not traced.
func WatchProcess(ctx context.Context, t *Tools, o Options) (dir, why string, err error) {
	var proc resident.Proc
	pid := o.Alloc.Held.Process
	status, err := proc.Status(pid)
	if err != nil {
		return "", "", hint.With("ps -e lists those that run here; one in a container has another number outside of it",
			fmt.Errorf("--pid %d: %w", pid, err))
	}
	if status.Peak == 0 {
		return "", "", hint.Usage("name a process of a program", "--pid %d (%s) has no memory of its own: it is one of the kernel's, "+
			"or has ended and waits for its parent", pid, status.Name)
	}
	if o.DryRun {
		t.Log.End()
		t.Log.Note(fmt.Sprintf("reads /proc/%d/{statm,status,smaps_rollup} of %s, and of what it starts", pid, status.Name))
		return "", "", nil
	}
	q, err := NewQuestion(o.Origin)
	if err != nil {
		return "", "", err
	}
	name := fmt.Sprintf("%s (process %d)", status.Name, pid)
	a := *o.Alloc
	a.Program, a.Own = name, name
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && len(text) > 0 {
		a.Program = strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " "))
	}
	a.Notes = append(a.Notes, fmt.Sprintf("before it was looked at it had at most %s resident at once (VmHWM)",
		units.Bytes(status.Peak)))
	if os.Geteuid() != 0 && status.UID != os.Geteuid() {
		a.Notes = append(a.Notes, fmt.Sprintf("process %d is another user's: what it shares with others (PSS) cannot be read; as root it can",
			pid))
	}
	q.Dir, q.Label = t.Dir, o.Label
	q.Comparison = &plan.Comparison{Alloc: &a}
	o.Ready = Lines{Sides: []plan.Side{{Name: name, Command: a.Program}}}
	q.Plan.Options = o.plan()
	q.Plan.Options.Rounds = 1
	q.Plan.Sides = []plan.Side{{Name: name, Command: a.Program}}
	q.Plan.Studies = []plan.Study{{Name: commandStudy, Pkg: commandStudy, Harness: plan.HarnessCommand}}
	q.Plan.Cases = []plan.Case{{Name: sample.CommandCase, Base: sample.CommandCase, Procs: 1, N: 1}}
	q.Plan.Link(nil)
	r := &record{Tools: t, Question: q}
	if err := r.makeFolder(o.Results, time.Now()); err != nil {
		return "", "", err
	}
	defer r.Close()
	if err := r.save(); err != nil {
		return "", "", err
	}
	c, n, why, err := r.look(ctx, pid, o)
	if err != nil {
		return r.Folder.Dir, why, err
	}
	return r.Folder.Dir, why, r.keep([]*benchfmt.Result{r.ofProcess(c, n, o)}, [2]string{series.KeyStudy, commandStudy},
		[2]string{series.KeyPkg, commandStudy}, [2]string{series.KeySide, name})
}

// look looks at a process as long as there is a reason to.
func (r *record) look(ctx context.Context, pid int, o Options) (*curve.Curve, int, string, error) {
	n, file, err := r.Folder.NewCurve()
	if err != nil {
		return nil, 0, "", err
	}
	defer file.Close()
	board, err := watch.NewBoard(r.Folder.Dir)
	if err != nil {
		return nil, 0, "", err
	}
	defer board.Close()
	w := watch.Start(watch.Options{PID: pid, Idle: o.Alloc.Held.Idle, Finds: true, Out: file})
	board.Watch(w)
	r.Log.Step(fmt.Sprintf("looking at process %d, until it ends; Ctrl-C ends the looking alone", pid))
	var over <-chan time.Time
	if o.Budget > 0 {
		over = time.After(o.Budget)
	}
	how, why := curve.Left, "interrupted: the process goes on"
	select {
	case <-w.Gone:
		how, why = curve.Ended, "the process has ended"
	case <-over:
		why = "the budget is spent; the process goes on"
	case <-ctx.Done():
	}
	c, err := w.Stop(how)
	if err != nil {
		return nil, 0, why, fmt.Errorf("keeping a curve: %w", err)
	}
	if len(c.Points) == 0 {
		return nil, 0, why, errors.New("the process ended before its memory could be read")
	}
	return c, n, why, nil
}

// ofProcess makes the sample of a process that was looked at.
func (r *record) ofProcess(c *curve.Curve, n int, o Options) *benchfmt.Result {
	x := &benchfmt.Result{Name: benchfmt.Name(sample.CommandCase), Iters: 1}
	add := func(unit string, v float64) { x.Values = append(x.Values, benchfmt.Value{Value: v, Unit: unit}) }
	worked := c.Last()
	if c.Work > 0 {
		worked = c.Work
	}
	add("sec/op", worked.Seconds())
	add(series.UnitCPU, c.Used().Seconds())
	add(series.UnitCurve, float64(n))
	add(series.UnitRSS, float64(c.Top()))
	x.Values = append(x.Values, FiguresOf(c, o.Alloc.Held.Idle)...)
	add(series.UnitSampler, c.Sampler.Seconds())
	add(series.UnitWall, c.Last().Seconds())
	add(series.UnitRound, 0)
	add(series.UnitOrder, 0)
	return x
}
