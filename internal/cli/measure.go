package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
)

// Tools returns what builds and runs programs, and tells on standard error how that goes: the
// caller clears that line with its Log.End.
func (a *App) Tools(verbose bool) (*session.Tools, error) {
	var trace io.Writer
	if verbose {
		trace = a.Stderr
	}
	return session.NewTools(NewProgress(a.Stderr), trace)
}

// A measurement is a command that takes samples in rounds: what its sides are, and what is shown.
type measurement struct {
	verbose bool
	// waits has it begin when no other memcost measures on this machine.
	waits bool
	begin func(ctx context.Context, t *session.Tools) (*session.Session, error)
	// plan prints what would be measured, of a dry run; else it is nil.
	plan func(s *session.Session) error
	// show shows what was measured. It may add to the line that says how it ended.
	show func(s *session.Session) (adds string, err error)
}

// measure has a session begun or gone on with, takes its samples, and shows what they say, also of a
// session that Ctrl-C ended.
func (a *App) measure(ctx context.Context, m measurement) error {
	t, err := a.Tools(m.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	if m.waits {
		release, err := t.AloneOrWait(ctx)
		if err != nil {
			return session.OrInterrupted(ctx, err)
		}
		defer release()
	}
	s, err := m.begin(ctx, t)
	if s != nil {
		defer s.Close()
	}
	switch {
	case err != nil:
		return session.OrInterrupted(ctx, err)
	case m.plan != nil:
		t.Log.End()
		return m.plan(s)
	}
	ending, err := s.Measure(ctx)
	if err != nil {
		return err
	}
	s.Close() // what is shown is read from the folder
	adds, err := m.show(s)
	fmt.Fprintf(a.Stderr, "%sstopped: %s; %s of measuring%s\n", attempt(s), ending, s.Measured.Round(time.Second), adds)
	if ending == sample.Interrupted {
		if err != nil && !errors.Is(err, ErrClosed) {
			fmt.Fprintln(a.Stderr, "warning:", err)
		}
		return s.Interrupted()
	}
	return cmp.Or(err, s.Failed)
}

// attempt names the attempt at a shard of a plan that a session is, "" of others.
func attempt(s *session.Session) string {
	at := s.Question.Attempt
	if at == nil {
		return ""
	}
	return fmt.Sprintf("attempt %d at shard %d/%d of plan %s ", at.Number, at.Shard, at.Shards, at.Plan)
}
