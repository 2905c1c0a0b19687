package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// The kinds of searches, by the commands that begin them (plan.Question.Recorded).
const (
	Limits  = "limits"
	Cliffs  = "malloc cliffs"
	Latency = "malloc latency"
)

// SearchOptions select what is to be found. Of the options of all sessions Bench is a regular
// expression of the limits, or of the settings of malloc; "" is all.
type SearchOptions struct {
	Options
	plan.Search
	Kind           string // Limits, Cliffs or Latency
	KeepToolchains bool   // limits: leaves downloaded toolchains in the module cache
}

// A searcher is a kind of search.
type searcher interface {
	// add takes note of a record of an earlier part of the search.
	add(*benchfmt.Result) error
	// prepare chooses what is to be found, and finds what that needs.
	prepare(ctx context.Context) error
	// lines returns what would be done.
	lines() []string
	// find finds what is not known yet.
	find(ctx context.Context) error
	// found counts what is known.
	found() int
}

// studyOf returns the study that holds the claims of a kind of search: malloc/cliffs of
// malloc cliffs.
func studyOf(kind string) string { return strings.ReplaceAll(kind, " ", "/") }

// A Search finds figures one by one, each once for each configuration, and records each as
// soon as it is there.
type Search struct {
	*record
	work searcher
}

// BeginSearch prepares a new search. The caller closes the Search, which is nil only
// where nothing was opened.
func BeginSearch(ctx context.Context, t *Tools, o SearchOptions) (*Search, error) {
	q, err := NewQuestion(o.Origin)
	if err != nil {
		return nil, err
	}
	st, err := Study(studyOf(o.Kind))
	if err != nil {
		return nil, err
	}
	q.Recorded = o.Kind
	q.Search = o.Search
	q.Plan = plan.Plan{Options: plan.Options{Profile: o.Profile, Alpha: plan.Alpha, Bench: o.Bench, Timeout: o.Timeout},
		Studies: []plan.Study{recordStudy(st)}}
	s := &Search{record: &record{Tools: t, Question: q}}
	s.work = s.searcher(o)
	if err := s.work.prepare(ctx); err != nil || o.DryRun {
		return s, s.orInterrupted(ctx, err)
	}
	if err := s.makeFolder(o.Results, time.Now()); err != nil {
		return s, err
	}
	return s, s.save()
}

// ResumeSearch continues the search in a folder. Of the options the time-out alone may change; 0 leaves
// it as it was.
func ResumeSearch(ctx context.Context, t *Tools, dir string, q *plan.Question, o Options) (*Search, error) {
	if !slices.Contains([]string{Limits, Cliffs, Latency}, q.Recorded) {
		return nil, hint.With("begin a run of its own", fmt.Errorf("run folder %s holds what memcost %s found, with "+
			"which there is nothing to go on", dir, q.Recorded))
	}
	s := &Search{record: &record{Tools: t, Question: q}}
	if o.Timeout != 0 {
		q.Plan.Options.Timeout = o.Timeout
	}
	s.work = s.searcher(SearchOptions{Kind: q.Recorded})
	q.LeftOut, q.Warnings = nil, nil // those of an earlier part are found once more
	if err := s.openFolder(dir); err != nil {
		return s, err
	}
	if err := s.sameMachine(); err != nil {
		return s, err
	}
	if err := s.sameMethod(o.Origin); err != nil {
		return s, err
	}
	if err := s.replay(dir); err != nil {
		return s, err
	}
	if err := s.work.prepare(ctx); err != nil {
		return s, s.orInterrupted(ctx, err)
	}
	return s, s.save()
}

// replay shows the search what its folder holds.
func (s *Search) replay(dir string) error {
	warnings, err := store.ReadSamples(dir, s.work.add)
	for _, w := range warnings {
		s.Log.Note("warning: " + w.Error())
	}
	return err
}

func (s *Search) searcher(o SearchOptions) searcher {
	switch o.Kind {
	case Cliffs:
		return &cliffSearch{record: s.record, done: map[string]bool{}}
	case Latency:
		return &latencySearch{record: s.record, vary: o.Vary, done: map[string]bool{}}
	}
	return &limitSearch{record: s.record, versions: o.Go, keep: o.KeepToolchains, missing: map[string]bool{},
		known: map[[2]string]bool{}}
}

// Lines returns what the search would do.
func (s *Search) Lines() []string { return s.work.lines() }

// Find finds what is still missing. Each figure is recorded as soon as it is found, so
// that nothing is lost when the search ends early.
func (s *Search) Find(ctx context.Context) error {
	defer s.Alone()()
	defer s.Log.End()
	err := s.work.find(ctx)
	if saved := s.save(); err == nil { // with what was left out
		err = saved
	}
	switch {
	case ctx.Err() != nil:
		return s.Interrupted()
	case err == nil:
		return nil
	}
	return hint.With("go on with: "+s.again(), fmt.Errorf("%w; what was found so far is kept", err))
}

// Found counts what is known, of this part of the search and of those before it.
func (s *Search) Found() int { return s.work.found() }
