package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
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
	flags *commonFlags
	// waits has it begin when no other memcost measures on this machine.
	waits bool
	// begin begins it; of one that is gone on with it is nil.
	begin func(ctx context.Context, t *session.Tools) (*session.Session, error)
	// plan prints what would be measured, of a dry run.
	plan func(s *session.Session) error
	// decided reports that the samples in a run folder say all that is asked for; nil: the session knows.
	decided func(dir string) bool
	// show shows what was measured. It may add to the line that says how it ended.
	show func(s *session.Session) (adds string, err error)
}

// measure has a session begun or gone on with, takes its samples, and shows what they say, also of a
// session that Ctrl-C ended.
func (a *App) measure(ctx context.Context, m measurement) error {
	t, err := a.Tools(m.flags.verbose)
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
	o := &m.flags.Options
	if _, lines := o.Ready.(session.Lines); (lines || o.Alloc != nil) && !o.DryRun {
		if o.Stdin, err = t.SpoolStdin(ctx, o.Stdin, a.Stdin, o.Results); err != nil {
			return err
		}
	}
	s, err := m.begin(ctx, t)
	if s != nil {
		defer s.Close()
	}
	switch {
	case err != nil:
		return session.OrInterrupted(ctx, err)
	case m.flags.DryRun:
		t.Log.End()
		return m.plan(s)
	}
	s.Decided = m.decided
	ending, err := s.Measure(ctx)
	if err != nil {
		return err
	}
	s.Close() // what is shown is read from the folder
	adds, err := m.show(s)
	if few := 3; len(s.Undecided) > 0 && len(s.Question.Plan.Cases) > 1 && ending != sample.Interrupted {
		adds += "; undecided: " + strings.Join(s.Undecided[:min(few, len(s.Undecided))], ", ")
		if more := len(s.Undecided) - few; more > 0 {
			adds += fmt.Sprintf(" and %d more", more)
		}
	}
	fmt.Fprintf(a.Stderr, "%sstopped: %s; %s of measuring%s\n", attempt(s), ending, s.Measured.Round(time.Second), adds)
	if ending == sample.Interrupted {
		switch {
		case isFinding(err), errors.Is(err, errUnmeasured):
			fmt.Fprintln(a.Stderr, "so far", err)
		case err != nil:
			fmt.Fprintln(a.Stderr, "warning:", err)
		case m.flags.gate:
			fmt.Fprintln(a.Stderr, "so far nothing closes the gate (--gate)")
		}
		return s.Interrupted()
	}
	return cmp.Or(err, s.Failed)
}

// resume goes on with the run that --resume names: one of a command's own, and memcost run with all.
func (a *App) resume(cmd *cobra.Command, f *commonFlags, args []string) error {
	ctx, of := cmd.Context(), ofSides
	if cmd.Name() == "compare" && isHistory(f.resume) {
		if err := mayChange(cmd, ofHistory); err != nil {
			return err
		}
		return resumeHistory(ctx, a, f)
	}
	q, err := a.resumed(cmd.Name(), f, args)
	if err != nil {
		return err
	}
	f.Origin = a.Origin()
	var m measurement
	switch beganBy(q) {
	case "alloc":
		m = allocators(a, f)
	case "held":
		m = holders(a, f)
	case "compare":
		m = comparison(a, f)
	case "run":
		m, of = run(a, f), ofStudies
	default:
		of = ofSearch
	}
	if err := mayChange(cmd, of); err != nil {
		return err
	}
	if of == ofSearch {
		return search(ctx, a, &searchFlags{commonFlags: *f}, q)
	}
	m.begin = func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.Resume(ctx, t, f.resume, q, f.Options)
	}
	return a.measure(ctx, m)
}

// resumed reads what the run in a folder was asked for, which a command goes on with where it may.
func (a *App) resumed(command string, f *commonFlags, args []string) (*plan.Question, error) {
	dir := f.resume
	if len(args) > 0 {
		return nil, hint.Usage("", "--resume %s goes on with that run; it takes no %q beside it", dir, args)
	}
	src, err := store.ReadRun(dir)
	q := src.Question
	switch {
	case err != nil:
		return nil, err
	case command != "run" && command != beganBy(q):
		return nil, hint.Usage("go on with: memcost run --resume "+dir, "run folder %s is not one of memcost %s", dir,
			command)
	case q.Attempt != nil:
		return nil, hint.Usage("memcost run --plan plan.json begins another attempt, which goes on from its rounds",
			"%s holds an attempt at a shard of a plan, which is not gone on with", dir)
	}
	return q, a.trusted(f, ofQuestion(dir, q))
}

// beganBy returns the command that begins such runs.
func beganBy(q *plan.Question) string {
	switch {
	case q.OfHeld() != nil:
		return "held"
	case q.Comparison != nil && q.Comparison.Alloc != nil:
		return "alloc"
	case q.Comparison != nil:
		return "compare"
	}
	return cmp.Or(q.Recorded, "run")
}

// begins has a measurement begin a session of the options.
func (m measurement) begins() measurement {
	m.begin = func(ctx context.Context, t *session.Tools) (*session.Session, error) {
		return session.Begin(ctx, t, m.flags.Options)
	}
	return m
}

// attempt names the attempt at a shard of a plan that a session is, "" of others.
func attempt(s *session.Session) string {
	at := s.Question.Attempt
	if at == nil {
		return ""
	}
	return fmt.Sprintf("attempt %d at shard %d/%d of plan %s ", at.Number, at.Shard, at.Shards, at.Plan)
}
