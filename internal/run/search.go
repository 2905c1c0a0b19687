package run

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/hint"
	"memcost/internal/plan"
	"memcost/internal/store"
)

// The kinds of searches, by the commands that begin them (plan.Question.Recorded).
const (
	Limits  = "limits"
	Cliffs  = "malloc cliffs"
	Latency = "malloc latency"
)

// SearchOptions say what is to be found. What is of one kind of search alone says so.
type SearchOptions struct {
	Origin  Origin
	Kind    string // Limits, Cliffs or Latency
	Names   string // regular expression of the limits, or of the settings of malloc; "" is all
	Results string // the folder in which the run folder is made
	DryRun  bool   // makes no run folder

	Go             string // limits: versions
	KeepToolchains bool   // limits: leaves downloaded toolchains in the module cache

	Smallest, Largest int64 // cliffs: block sizes in bytes

	Profile   string        // latency: Quick or Full
	Limit     time.Duration // latency: of one call, for the real-time verdict; 0 is none
	Published bool          // latency: only the published settings
	Vary      []string      // latency: settings of the user's, in place of the study's
	Timeout   time.Duration // latency: of one process; 0 is the profile's
}

// A Search finds figures one by one, each once for each configuration, and records each as
// soon as it is there.
type Search struct {
	*record
	work searcher
}

// A searcher is a kind of search.
type searcher interface {
	// add takes note of a record of an earlier part of the search.
	add(*benchfmt.Result) error
	// prepare chooses what is to be found, and finds what that needs.
	prepare(ctx context.Context) error
	// lines say what would be done.
	lines() []string
	// find finds what is not known yet.
	find(ctx context.Context) error
	// found counts what is known.
	found() int
}

// BeginSearch prepares a new search. The caller closes the Search, which is nil only where
// nothing was begun.
func BeginSearch(ctx context.Context, t *Tools, o SearchOptions) (*Search, error) {
	if _, err := regexp.Compile(o.Names); err != nil {
		return nil, hint.Usage("https://pkg.go.dev/regexp/syntax", "--%s: %w", namesFlag(o.Kind), err)
	}
	if err := CheckVersions(o.Go); err != nil {
		return nil, err
	}
	q, err := question(o.Origin)
	if err != nil {
		return nil, err
	}
	st, err := Study(studyOf(o.Kind))
	if err != nil {
		return nil, err
	}
	q.Recorded = o.Kind
	q.Search = plan.Search{Limit: o.Limit, Smallest: o.Smallest, Largest: o.Largest, Published: o.Published}
	q.Plan = plan.Plan{Options: plan.Options{Profile: o.Profile, Alpha: plan.Alpha, Bench: o.Names, Timeout: o.Timeout},
		Suites: []plan.Suite{recordSuite(st)}}
	s := &Search{record: &record{Tools: t, Question: q}}
	s.work = s.searcher(o)
	if err := s.work.prepare(ctx); err != nil || o.DryRun {
		return s, err
	}
	if err := s.makeFolder(o.Results, time.Now()); err != nil {
		return s, err
	}
	return s, s.save()
}

// ResumeSearch goes on with the search in a folder. The time-out alone may change; 0 leaves
// it as it was.
func ResumeSearch(ctx context.Context, t *Tools, dir string, q *plan.Question, timeout time.Duration) (*Search, error) {
	if !slices.Contains([]string{Limits, Cliffs, Latency}, q.Recorded) {
		return nil, hint.With("begin a run of its own", fmt.Errorf("run folder %s holds what memcost %s found, with which there is nothing to go on", dir, q.Recorded))
	}
	s := &Search{record: &record{Tools: t, Question: q}}
	if timeout != 0 {
		q.Plan.Options.Timeout = timeout
	}
	s.work = s.searcher(SearchOptions{Kind: q.Recorded})
	q.LeftOut, q.Warnings = nil, nil // those of an earlier part are found again
	if err := s.openFolder(dir); err != nil {
		return s, err
	}
	if err := s.sameMachine(); err != nil {
		return s, err
	}
	warnings, err := store.ReadSamples(dir, s.work.add)
	for _, w := range warnings {
		s.Log.Note("warning: " + w.Error())
	}
	if err != nil {
		return s, err
	}
	if err := s.work.prepare(ctx); err != nil {
		return s, err
	}
	return s, s.save()
}

func (s *Search) searcher(o SearchOptions) searcher {
	switch o.Kind {
	case Cliffs:
		return &cliffSearch{record: s.record, done: map[string]bool{}}
	case Latency:
		return &latencySearch{record: s.record, vary: o.Vary, done: map[string]bool{}}
	}
	return &limitSearch{record: s.record, versions: o.Go, keep: o.KeepToolchains, missing: map[string]bool{}}
}

// studyOf is the study that holds the claims of a kind of search: malloc/cliffs of malloc
// cliffs.
func studyOf(kind string) string { return strings.ReplaceAll(kind, " ", "/") }

// namesFlag is the flag that chooses by name.
func namesFlag(kind string) string {
	if kind == Limits {
		return "only"
	}
	return "bench"
}

// Lines say what the search would do.
func (s *Search) Lines() []string { return s.work.lines() }

// Find finds what is not known yet. Each thing is recorded as soon as it is found, so that
// nothing is lost when the search ends early.
func (s *Search) Find(ctx context.Context) error {
	err := s.work.find(ctx)
	if saved := s.save(); err == nil { // with what was left out
		err = saved
	}
	return err
}

// Found counts what is known, of this part of the search and of those before it.
func (s *Search) Found() int { return s.work.found() }

// keep records what was found, with what all records share.
func (r *record) keep(records []*benchfmt.Result, config ...[2]string) error {
	for _, x := range records {
		for _, kv := range append(header(r.Question), config...) {
			x.SetConfig(kv[0], kv[1])
		}
		for i := range x.Config {
			x.Config[i].File = true
		}
	}
	return r.Folder.Append(records...)
}

// timeLeft says how much longer something takes of which a share is done, after the time
// since it began.
func timeLeft(began time.Time, share float64) string {
	left := float64(time.Since(began)) / share * (1 - share)
	return fmt.Sprintf(", about %v left", time.Duration(left).Round(time.Second))
}

// toolchainsDir is the part of the cache that holds toolchains which limits downloads.
func (t *Tools) toolchainsDir(version string) (string, error) {
	return filepath.Abs(filepath.Join(t.Builder.CacheDir, "toolchains", version))
}
