package session

import (
	"context"
	"strings"
	"time"

	"memcost/internal/measure/plan"

	"golang.org/x/perf/benchfmt"
)

// The kinds of searches, by the commands that begin them (plan.Question.Recorded).
const (
	Limits  = "limits"
	Cliffs  = "malloc cliffs"
	Latency = "malloc latency"
)

// SearchOptions select what is to be found. A field that applies to one kind of search
// alone is marked so.
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
	Use       *plan.Use     // latency: how blocks are used for the verdict
	Published bool          // latency: only the published settings
	Vary      []string      // latency: settings of the user's, in place of the study's
	Timeout   time.Duration // latency: of one process; 0 is the profile's
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

// namesFlag returns the flag that chooses by name.
func namesFlag(kind string) string {
	if kind == Limits {
		return "only"
	}
	return "bench"
}
