package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/machine/resident"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/measure/watch"
	"memcost/internal/method/curve"
	"memcost/internal/method/series"
)

// A hold has the memory of each process looked at over time, until it ends, or has been idle for long enough after
// its work. A nil one looks at nothing.
type hold struct {
	plan.Held
	finds  bool // the end of the work is found from what the processes do: there is no load whose end it is
	folder *store.Folder
	board  *watch.Board

	started chan struct{} // closed when the process of this sample has been started
	watcher *watch.Watcher
	file    *os.File
	number  int
	kills   int64
	stopped bool // the process was ended because it had been idle for long enough
	limited bool // it was ended because it had worked for as long as a process may
	saw     *seen
	// ask is called when a process has been idle for long enough, before it is ended; nil is nothing.
	ask func()
}

// seen is what was seen of a process.
type seen struct {
	*curve.Curve
	peak int64 // 0: nobody knows it
}

// newHold prepares to look at processes; their curves are kept in a folder, or nowhere. The caller closes it.
func newHold(h plan.Held, finds bool, folder *store.Folder) (*hold, error) {
	x, dir := &hold{Held: h, finds: finds, folder: folder}, ""
	if folder != nil {
		dir = folder.Dir
	}
	var err error
	x.board, err = watch.NewBoard(dir)
	return x, err
}

func (h *hold) close() {
	if h != nil {
		h.board.Close()
	}
}

// watches has a process that is about to be started looked at.
func (h *hold) watches(cmd *proc.Cmd) {
	if h == nil {
		return
	}
	h.started, h.watcher, h.stopped, h.limited, h.saw, h.file = make(chan struct{}), nil, false, false, nil, nil
	o := watch.Options{Family: true, Idle: h.Idle, Finds: h.finds}
	if h.folder != nil {
		n, file, err := h.folder.NewCurve()
		if err == nil { // else the sample has its figures all the same, and appending it will tell
			h.number, h.file, o.Out = n, file, file
		}
	}
	h.kills, _ = resident.Proc("").Kills()
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], watch.SocketVar+"="+h.board.Path)
	started := h.started
	cmd.Started = func(pid int) {
		o.PID = pid
		h.watcher = watch.Start(o)
		h.board.Watch(h.watcher)
		close(started)
	}
}

// tellsAfter is how long a program may work before its user is told how long it is waited for.
const tellsAfter = 30 * time.Second

// run runs a program that has no load: until it ends, or has been idle for long enough, or has taken the time that
// a process may take.
func (h *hold) run(ctx context.Context, by *proc.Launcher, cmd proc.Cmd) (proc.Result, error) {
	limit := cmd.Timeout
	cmd.Timeout = 0
	h.watches(&cmd)
	during, kill := context.WithCancel(ctx)
	defer kill()
	s := &loadedServer{over: make(chan ended, 1)}
	go func() {
		res, err := by.Run(during, cmd)
		s.over <- ended{res, err}
	}()
	select {
	case <-h.started:
	case x := <-s.over: // it could not be started
		return x.res, x.err
	}
	var over <-chan time.Time
	if limit > 0 {
		over = time.After(limit + h.Idle)
	}
	select {
	case x := <-s.over:
		return x.res, x.err
	case <-h.watcher.Settled:
		h.settles()
	case <-over:
		h.limited = true
	case <-ctx.Done():
	}
	x := s.end(ctx, by, kill, nil)
	return x.res, x.err
}

// settle waits until a server has been idle for long enough after its load; one that ends meanwhile has done so by
// itself.
func (s *loadedServer) settle(ctx context.Context, h *hold) error {
	if h == nil {
		return nil
	}
	select {
	case <-h.started:
	case x := <-s.over:
		return &gone{x}
	}
	h.watcher.End()
	select {
	case <-h.watcher.Settled:
		h.settles()
		return nil
	case x := <-s.over:
		return &gone{x}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// settles takes note that a process has been idle for long enough.
func (h *hold) settles() {
	h.stopped = true
	if h.ask != nil {
		h.ask()
	}
}

// done ends looking at a process that has ended. What memcost ended ended well.
func (h *hold) done(res *proc.Result, failed error) error {
	if h == nil {
		return failed
	}
	h.board.Watch(nil)
	select {
	case <-h.started:
	default:
		return failed
	}
	how := curve.Ended
	kills, counted := resident.Proc("").Kills()
	switch {
	case h.stopped:
		how = curve.Stopped
	case h.limited:
		how = curve.Limited
	case counted && kills > h.kills && res.Signal == "SIGKILL":
		how = curve.Killed
	}
	c, err := h.watcher.Stop(how)
	if h.file != nil {
		if closed := h.file.Close(); err == nil {
			err = closed
		}
	}
	if early := (*gone)(nil); errors.As(failed, &early) {
		failed = early.err
	}
	h.saw = &seen{c, h.peak(c, res.Usage)}
	if h.finds && (h.stopped || h.limited) { // how a server ends is compared, as it always is
		res.ExitCode, res.Signal = 0, ""
	}
	switch {
	case res.Work > 0: // a load's
	case c.Work > 0:
		res.Work = c.Work
	}
	if failed == nil && err != nil {
		return fmt.Errorf("keeping a curve: %w", err)
	}
	return failed
}

// last returns what was seen of the last process; nil where nothing was.
func (h *hold) last() *seen {
	if h == nil {
		return nil
	}
	return h.saw
}

// values are the figures of the last process.
func (h *hold) values() []benchfmt.Value {
	if h == nil || h.saw == nil {
		return nil
	}
	c := h.saw.Curve
	var out []benchfmt.Value
	add := func(unit string, v float64) { out = append(out, benchfmt.Value{Value: v, Unit: unit}) }
	if h.file != nil {
		add(series.UnitCurve, float64(h.number))
	}
	if h.saw.peak > 0 {
		add(series.UnitRSS, float64(h.saw.peak))
	}
	out = append(out, FiguresOf(c, h.Idle)...)
	add(series.UnitSampler, c.Sampler.Seconds())
	return out
}

// FiguresOf returns what a curve says as the figures of a sample. The peak is not among them where nothing was seen,
// for the kernel's account of the process has it.
func FiguresOf(c *curve.Curve, idle time.Duration) []benchfmt.Value {
	var out []benchfmt.Value
	add := func(unit string, v float64) { out = append(out, benchfmt.Value{Value: v, Unit: unit}) }
	if len(c.Points) > 1 {
		add(series.UnitArea, c.Area())
	}
	for _, after := range curve.After() {
		if n, ok := c.Settled(after); ok && after <= idle {
			add(series.UnitHeld(after), float64(n))
		}
	}
	if d, ok := c.Returned(); ok {
		add(series.UnitReturned, d.Seconds())
	}
	if c.Work >= 0 {
		if e, _, ok := c.Nearest(c.Last()); ok && e.At >= c.Work {
			add(series.UnitHeldPSS, float64(e.Share))
		}
	}
	return out
}

// peak returns the peak of a process: what the kernel kept of the largest process, or the sum that a look met
// where that is more; 0: nobody knows it.
func (h *hold) peak(c *curve.Curve, u proc.Usage) int64 {
	top := c.Top()
	if rss, ok := u.PeakRSS(); ok {
		top = max(top, rss)
	}
	return top
}

// names adds to the error of a sample that failed where its curve is.
func (h *hold) names(err error) error {
	broken := (*sample.Broken)(nil)
	if h == nil || h.saw == nil || h.file == nil || !errors.As(err, &broken) {
		return err
	}
	return &sample.Broken{Why: fmt.Sprintf("%s; at its peak %s were resident (%s)", broken.Why, units.Bytes(h.saw.peak),
		h.folder.CurvePath(h.number))}
}
