package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
)

// Sides says how a comparison of programs is measured and shown.
type Sides struct {
	Command string // of memcost, that goes on with the run: "alloc"
	Resume  string // the run folder that is gone on with; "" for a new one
	DryRun  bool
	Show    func(dir string) error
}

// MeasureSides takes the samples of a comparison that was prepared, or was not because of begun,
// and shows what they say. It closes r.
func (a *App) MeasureSides(ctx context.Context, r *session.CommandRun, begun error, p *Progress, s Sides) error {
	if r != nil {
		defer r.Close()
	}
	switch {
	case begun != nil && ctx.Err() != nil && s.Resume != "":
		return s.goOn(s.Resume, " before the next sample")
	case begun != nil && ctx.Err() != nil && !hint.IsUsage(begun):
		return ErrInterrupted()
	case begun != nil:
		return begun
	case s.DryRun:
		p.End()
		return a.Lines(r.Lines())
	}
	release := a.Alone(p)
	stop, err := r.Measure(ctx)
	release()
	p.End()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "stopped: %s; %s of measuring\n", stop, r.Measured.Round(time.Second))
	r.Close() // the run is over
	err = s.Show(r.Folder.Dir)
	if err == nil && stop == sample.Interrupted {
		return s.goOn(r.Folder.Dir, "")
	}
	return cmp.Or(err, r.Failed)
}

func (s Sides) goOn(dir, when string) error {
	return hint.With("go on with: memcost "+s.Command+" --resume "+dir,
		errors.New("interrupted"+when+"; everything measured so far is kept"))
}
