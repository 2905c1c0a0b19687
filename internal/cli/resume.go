package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/store"
)

// resume goes on with the run in a folder.
func (a *app) resume(ctx context.Context, f *runFlags, args []string, changed func(string) bool) (*session, error) {
	for _, flag := range []string{"go", "vary", "bench", "cpu", "quick", "full", "seed", "sample", "alpha", "layouts", "shard", "results", "no-guards", "dry-run"} {
		if changed(flag) {
			return nil, usage("only --budget, --precision, --rounds and --timeout may change", "--%s cannot be changed by --resume: the run goes on as it began", flag)
		}
	}
	if f.resume == "" {
		return nil, usage("for example --resume results/20261121-101530-myhost", "--resume names no run folder")
	}
	if len(args) > 0 {
		return nil, usage("", "--resume %s goes on with that run; it takes no %q beside it", f.resume, args)
	}
	s, err := a.newSession(f)
	if err != nil {
		return nil, err
	}
	q := &plan.Question{}
	if err := store.ReadQuestion(f.resume, q); err != nil {
		return s, err
	}
	if err := q.Check(); err != nil {
		return s, fmt.Errorf("reading run folder %s: %s: %w", f.resume, store.QuestionFile, err)
	}
	if q.Recorded != "" {
		return s, withHint(fmt.Sprintf("memcost %s --resume %s", q.Recorded, f.resume), fmt.Errorf("run folder %s holds records of memcost %s, not samples", f.resume, q.Recorded))
	}
	s.question = q
	if s.folder, err = store.Open(f.resume); err != nil {
		var busy *store.BusyError
		if errors.As(err, &busy) {
			return s, withHint("wait for it to end, or start a run of its own", err)
		}
		return s, err
	}
	for _, w := range s.folder.Warnings {
		s.progress.note("warning: " + w.Error())
	}
	if err := s.adjust(f, changed); err != nil {
		return s, err
	}
	return s, s.rebuild(ctx)
}

// adjust applies the flags that may change between two parts of a run.
func (s *session) adjust(f *runFlags, changed func(string) bool) error {
	o := &s.question.Plan.Options
	if err := f.stopping(o, changed); err != nil {
		return err
	}
	if changed("rounds") {
		o.Rounds = f.rounds
	}
	if changed("timeout") {
		o.Timeout = f.timeout
	}
	if err := checkOptions(*o); err != nil {
		return err
	}
	fp, err := machine.ReadFingerprint("")
	if err == nil && fp.ID() != s.question.Machine.ID() {
		return withHint("begin a run of its own here, and look at both: memcost report RUN RUN",
			fmt.Errorf("run folder %s was begun on another machine (%s, %s)", s.folder.Dir, s.question.Machine.Hostname, s.question.Machine.CPUModel))
	}
	return nil
}

// rebuild makes the binaries of a resumed run again (they come from the cache)
// and refuses to go on with others than it was begun with.
func (s *session) rebuild(ctx context.Context) error {
	q := s.question
	begun, suites := slices.Clone(q.Builds), slices.Clone(q.Plan.Suites)
	if err := s.findSuites(ctx); err != nil {
		return err
	}
	if err := s.findTools(ctx); err != nil {
		return err
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	same := len(q.Builds) == len(begun) // else the suites are numbered anew
	for _, b := range begun {
		if now := q.Build(b.Suite, b.Arm); !same || now == nil || now.Hash != b.Hash {
			return withHint("put the code back as it was, or begin a new run",
				fmt.Errorf("the benchmarks of %s on %s are not those that run folder %s was begun with", suites[b.Suite].Name, q.Plan.Arms[b.Arm].Name, s.folder.Dir))
		}
	}
	q.Builds, q.Plan.Suites = begun, suites
	s.makeLab()
	var err error
	s.suites, err = result.Suites(q)
	return err
}
