// This part of the package searches a history of commits, or of releases of Go, for what changed the cost
// of benchmarks: it has the steps of package history measured, one after the other, and keeps
// what they found in a folder, so that a search can be gone on with at any time.

package history

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
)

// File holds the state of a search, in its folder.
const File = store.HistoryFile

// A State is all that is known of a search: the content of File.
type SearchState struct {
	Format  int       `json:"format"`
	Tool    string    `json:"tool"`
	Created time.Time `json:"created"`
	Command []string  `json:"command"`
	Label   string    `json:"label,omitempty"`
	Kind    string    `json:"kind"` // history.Commits or Releases
	Dir     string    `json:"dir"`  // where the packages are
	Asked   Asked     `json:"asked"`
	// Points are in the order of time. Whoever goes on with the search takes these, whatever the
	// branch has become.
	Points []Point `json:"points"`
	Steps  []Step  `json:"steps"`
}

// Asked is what every step of a search is measured with.
type Asked struct {
	Packages   []string      `json:"packages"`
	Bench      string        `json:"bench,omitempty"`
	CPU        []int         `json:"cpu,omitempty"`
	Tags       string        `json:"tags,omitempty"`
	BuildFlags []string      `json:"build_flags,omitempty"`
	TestArgs   []string      `json:"test_args,omitempty"`
	Margin     float64       `json:"margin"`
	Alpha      float64       `json:"alpha"`               // of the way to a commit
	Budget     time.Duration `json:"budget_ns,omitempty"` // of a step
	Rounds     int           `json:"rounds,omitempty"`
	Timeout    time.Duration `json:"timeout_ns,omitempty"`
	Sample     time.Duration `json:"sample_ns,omitempty"`
	Layouts    int           `json:"layouts,omitempty"`
	Seed       *uint64       `json:"seed,omitempty"`
}

// New returns the state of a search that was not begun, of points that are measured in a folder
// with options of memcost compare.
func New(kind string, points []Point, o session.Options, dir string, now time.Time) *SearchState {
	return &SearchState{Format: Format, Tool: "memcost " + o.Origin.Version, Created: now.UTC().Truncate(time.Second),
		Command: o.Origin.Command, Label: o.Label, Kind: kind, Dir: dir, Points: points,
		Asked: Asked{Packages: o.Args, Bench: o.Bench, CPU: o.CPU, Tags: o.Tags, BuildFlags: o.BuildFlags,
			TestArgs: o.TestArgs, Margin: o.Margin, Alpha: o.Alpha, Budget: o.Budget, Rounds: o.Rounds,
			Timeout: o.Timeout, Sample: o.Sample, Layouts: o.Layouts, Seed: o.Seed}}
}

// Options returns what each step is measured with.
func (s *SearchState) Options() session.Options {
	a := s.Asked
	return session.Options{Origin: session.Origin{Version: strings.TrimPrefix(s.Tool, "memcost "), Command: s.Command},
		Go: "local", Profile: session.Quick, Args: a.Packages, Label: s.Label, CPU: a.CPU, Tags: a.Tags,
		BuildFlags: a.BuildFlags, TestArgs: a.TestArgs, Margin: a.Margin, Budget: a.Budget, Rounds: a.Rounds,
		Timeout: a.Timeout, Sample: a.Sample, Layouts: a.Layouts, Seed: a.Seed, StopWhenDecided: new(a.Rounds == 0)}
}

// Read reads the state of a search.
func Read(dir string) (*SearchState, error) {
	s := &SearchState{}
	if err := store.ReadRecord(dir, File, s); err != nil {
		return nil, err
	}
	return s, s.check(dir)
}

// check returns an error for what no search can have written.
func (s *SearchState) check(dir string) error {
	damaged := func(format string, args ...any) error {
		return hint.New("begin a new search, without --resume",
			"reading %s of %s: it is damaged: %s", File, dir, fmt.Sprintf(format, args...))
	}
	if s.Format != Format {
		return fmt.Errorf("%s of %s has format %d and this memcost reads format %d", File, dir, s.Format,
			Format)
	}
	if s.Kind != Commits && s.Kind != Releases {
		return damaged("kind %q", s.Kind)
	}
	if !(s.Asked.Alpha > 0 && s.Asked.Alpha < 1) {
		return damaged("alpha %v", s.Asked.Alpha)
	}
	in := func(p int) bool { return p >= 0 && p < len(s.Points) }
	for i, step := range s.Steps {
		if len(step.Points) < 2 || len(step.Points) > 3 {
			return damaged("step %d has %d points", i+1, len(step.Points))
		}
		if step.Folder != "" && !filepath.IsLocal(step.Folder) {
			return damaged("step %d has its run outside: %q", i+1, step.Folder)
		}
		for j, p := range step.Points {
			if !in(p) || j > 0 && p <= step.Points[j-1] {
				return damaged("step %d names point %d of %d", i+1, p, len(s.Points))
			}
		}
		for _, f := range step.Failed {
			if !in(f.Point) {
				return damaged("step %d names point %d of %d", i+1, f.Point, len(s.Points))
			}
		}
		for _, c := range step.Comparisons {
			if !in(c.From) || !in(c.To) || c.From >= c.To {
				return damaged("step %d compares point %d with %d of %d", i+1, c.From, c.To, len(s.Points))
			}
		}
	}
	return nil
}

// Search returns the search of the state's points: of releases, all are measured.
func (s *SearchState) Search() Search {
	return Search{Points: len(s.Points), Every: s.Kind == Releases}
}

// Report returns what is known.
func (s *SearchState) Report() *Report {
	r := s.Search().Report(s.Points, s.Steps)
	r.Kind, r.Label, r.Alpha, r.Margin = s.Kind, s.Label, s.Asked.Alpha, s.Asked.Margin
	return r
}
